import type { Command } from 'commander'
import { count, flag, lengths, repeatable, word } from '../flags.ts'
import { type GpuHour, gpuHour } from './gpu-hour.ts'

/** What choices and plans are made from: what was measured, a law, or a model on GPUs that nobody ran. */
export interface SourceFlags extends LayoutFlags {
  readonly points?: string
  readonly law?: string
  /** Of the server that was measured; of a model on GPUs the most that one replica takes. */
  readonly gpus?: number
  readonly gpuHour?: GpuHour
  readonly gpuWatts?: number
  readonly lane?: string
  readonly inputTokens?: number | string
  readonly outputTokens?: number | string
}

/** Those of `predict`. */
export interface LayoutFlags {
  readonly model?: string
  readonly gpu?: string
  readonly tp?: number
  readonly pp?: number
  readonly ep?: number
  readonly dp?: number
  readonly prefill?: string
  readonly decode?: string
  readonly link?: string
  readonly precision?: string
  readonly kvPrecision?: string
  readonly maxNumSeqs?: number
  readonly maxBatchedTokens?: number
  readonly calibrate?: readonly string[]
  readonly catalogue?: string
}

export const EVIDENCE_HELP =
  'run folders, JSON of fit or predict, points files, tables of sweeps; each is a candidate, as each sweep of a table is'

/** `outputs`: what is said of `--output-tokens`. */
export const addSourceFlags = (command: Command, outputs = 'of an answer, the same way'): Command =>
  command
    .addOption(
      flag(
        '--points <file>',
        'instead: concurrency,outputTokensPerSecond[,tokensPerSecondPerUser][,ttftMs], or a table of sweeps',
        word,
      ),
    )
    .addOption(flag('--law <law>', 'instead, or in place of the law of the points: a=5ms,b=0.25ms, or a fit', word))
    .addOption(
      flag('--gpus <n>', 'of the server that was measured; of --model, the most of one replica (a domain)', count),
    )
    .addOption(
      flag('--gpu-hour <price>', 'of a GPU for an hour, in your own money: 2.5, or h100-sxm=2.5,b200=4.2', gpuHour),
    )
    .addOption(flag('--lane <name>', 'of a run that was simulated with several: that one (their mix)', word))
    .addOption(
      flag('--input-tokens <n>', 'of a prompt: 1024, or lognormal:400,0.6 for its mean (those of the run)', lengths),
    )
    .addOption(flag('--output-tokens <n>', outputs, lengths))
    .addOption(flag('--model <name>', 'with nothing measured, or beside it: as predict has it', word))
    .addOption(
      flag('--gpu <names>', 'of --model: h100-sxm, or several: h100-sxm,b200; else of what was measured', word),
    )
    .addOption(flag('--tp <n>', 'as predict has it, as the next three; none of them: every layout that fits', count))
    .addOption(flag('--pp <n>', 'stages of layers', count))
    .addOption(flag('--ep <n>', 'groups that share the experts out', count))
    .addOption(flag('--dp <n>', 'copies of the attention', count))
    .addOption(flag('--prefill <pool>', 'a pool that only reads prompts, such as 2x4, beside --decode', word))
    .addOption(flag('--decode <pool>', 'a pool that only writes answers, such as 1x8', word))
    .addOption(flag('--link <name>', 'between the pools: nvlink, pcie5, 400g … or 50GB/s', word))
    .addOption(flag('--precision <name>', 'of weights: bf16, fp8, fp4, int4 …', word))
    .addOption(flag('--kv-precision <name>', 'of the KV cache: bf16 or fp8', word))
    .addOption(flag('--max-num-seqs <n>', 'the most sequences that the engine decodes at once', count))
    .addOption(flag('--max-batched-tokens <n>', 'the most tokens of one step', count))
    .addOption(repeatable('--calibrate <file>', 'scale a prediction by measurements of a neighbour, as predict does'))
    .addOption(flag('--catalogue <file>', 'JSON of your own GPUs and models', word))
