import { RUN_SCHEMA, type RunHeader } from '../../src/core/index.ts'

export const header: RunHeader = {
  schema: RUN_SCHEMA,
  createdAt: '2026-12-01T00:00:00.000Z',
  twospeed: '0.1.0',
  target: { url: 'http://127.0.0.1:1/v1', model: 'm' },
  hardware: {},
  workload: {},
  points: [],
}
