import { Command } from 'commander'
import { figure } from '../core/index.ts'
import type { Calibration, CalibrationLoad } from '../load/index.ts'
import { counts, duration, flag, wholeNumbers } from './flags.ts'
import { calmHelperThreads } from './helper-threads.ts'
import { createProgressLine } from './progress.ts'

interface CalibrateFlags {
  readonly workers?: readonly number[]
  readonly streams?: readonly number[]
  readonly duration?: number
  readonly json?: true
}

export function calibrateCommand(): Command {
  return new Command('calibrate')
    .description(
      'Finds in a minute what this client can be trusted with on this machine; measure then says when a point is beyond it.',
    )
    .addOption(flag('--workers <list>', 'threads that read, to be tried (0, 1, and the cores to spare)', wholeNumbers))
    .addOption(
      flag(
        '--streams <list>',
        'streams of 50 tok/s to be tried, until two in a row are too many (16,64,…,4096)',
        counts,
      ),
    )
    .addOption(flag('--duration <time>', 'of each load after its ramp (1.2s)', duration))
    .option('--json', 'print what was found and nothing else')
    .action(calibrateHere)
}

async function calibrateHere(flags: CalibrateFlags): Promise<void> {
  const { calibrate, storeCalibration } = await import('../load/index.ts')
  const { startMock } = await import('./mock-child.ts')
  calmHelperThreads()
  const line = createProgressLine(process.stderr)
  const mock = await startMock()
  try {
    const found = await calibrate({
      mock,
      ...(flags.workers !== undefined && { workers: flags.workers }),
      ...(flags.streams !== undefined && { streams: flags.streams }),
      ...(flags.duration !== undefined && { windowS: flags.duration }),
      onStatus: line.status,
    })
    line.close()
    const path = storeCalibration(found)
    if (flags.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
    else process.stdout.write(`${await textOf(found)}\n\nstored: ${path}\n`)
  } finally {
    line.close()
    await mock.stop()
  }
}

const COLUMNS = [
  { head: ['workers', ''] },
  { head: ['streams', ''] },
  { head: ['tok/s', 'each'] },
  { head: ['events/s', ''] },
  { head: ['TTFT + ms', 'p50'] },
  { head: ['', 'p99'] },
  { head: ['ITL ± ms', 'p50'] },
  { head: ['', 'p99'] },
  { head: ['cores', ''] },
  { head: ['', ''], align: 'left' },
] as const

async function textOf({ machine, loads, trusted }: Calibration): Promise<string> {
  const [{ textTable }, { wasDisturbed }] = await Promise.all([
    import('../report/index.ts'),
    import('../load/index.ts'),
  ])
  const { cpu, cores, node } = machine
  const isDisturbed = (load: CalibrationLoad): boolean =>
    trusted.some((most) => most.workers === load.workers && wasDisturbed(load, most))
  const sums = trusted.map(({ workers, streams, eventsPerSecond }) => {
    if (streams === 0) return `${nameOf(workers)}: trusted with none of these loads`
    const isEnd = !loads.some((load) => load.workers === workers && !load.trusted && !isDisturbed(load))
    const all = isEnd ? ', the most that was tried' : ''
    return `${nameOf(workers)}: trusted up to ${figure(eventsPerSecond)} events/s, ${streams} streams${all}`
  })
  const rows = loads.map((load) => rowOf(load, isDisturbed(load)))
  return [`${cpu}, ${cores} cores, Node ${node}`, textTable(COLUMNS, rows), sums.join('\n')].join('\n\n')
}

const nameOf = (workers: number): string =>
  workers === 0 ? 'one thread' : `${workers} ${workers === 1 ? 'worker' : 'workers'}`

function rowOf(load: CalibrationLoad, isDisturbed: boolean): readonly string[] {
  const { workers, streams, tokensPerSecond, eventsPerSecond, ttftErrorMs: ttft, itlErrorMs: itl, cpu, why = [] } = load
  const errors = [ttft.p50, ttft.p99, itl.p50, itl.p99].map(figure)
  const words = isDisturbed ? ['another program was in the way: more was borne'] : why
  return [`${workers}`, `${streams}`, figure(tokensPerSecond), figure(eventsPerSecond), ...errors, figure(cpu)].concat(
    words.join('; '),
  )
}
