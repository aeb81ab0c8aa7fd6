import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Two projects: what is right by value runs side by side, on every core, since much of it waits for processes; what is right by time
// (`*.timing.test.ts`) runs alone, file after file, and may be tried three times, because another program on the machine can spoil a
// clock but never make it right.
export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          name: 'value',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.timing.test.ts'],
          testTimeout: 30_000,
          setupFiles: ['test/support/fixed-seed.ts'],
        },
      },
      {
        test: {
          name: 'timing',
          include: ['test/**/*.timing.test.ts'],
          testTimeout: 120_000,
          setupFiles: ['test/support/fixed-seed.ts'],
          retry: 2,
          fileParallelism: false,
        },
      },
    ],
  },
})
