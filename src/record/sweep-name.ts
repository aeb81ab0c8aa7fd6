import type { SweepSetup } from './sweeps-csv.ts'

/** `Llama-3.1-70B on 4 × b200_sxm, trtllm 1.0.0rc3, fp4, TP 4, 1024 in, 1024 out, 2025-11-10`: what is known of a sweep. */
export function sweepName(setup: SweepSetup): string {
  const { model, system, gpus, engine, engineVersion, precision, inputTokens, outputTokens, measured } = setup
  return [
    `${model?.replace(/^.*\//, '') ?? 'a model'} on ${gpus} × ${system ?? 'GPU'}`,
    [engine, engineVersion].filter((part) => part !== undefined).join(' '),
    precision,
    layoutName(setup),
    inputTokens === undefined ? undefined : `${inputTokens} in`,
    outputTokens === undefined ? undefined : `${outputTokens} out`,
    measured,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(', ')
}

/** `TP 4 EP 4`, what is 1 left out; of a split server `2 × 4 prefill + 1 × 8 decode`, instances times GPUs. */
function layoutName({ tp, pp, dp, ep, prefillWorkers, prefillGpus, decodeWorkers, decodeGpus }: SweepSetup): string {
  const pool = (name: string, workers: number | undefined, gpus: number | undefined): string =>
    workers === undefined || gpus === undefined ? '' : `${workers} × ${gpus / workers} ${name}`
  const pools = [pool('prefill', prefillWorkers, prefillGpus), pool('decode', decodeWorkers, decodeGpus)]
  if (pools.every((part) => part !== '')) return pools.join(' + ')
  const cuts = [
    ['TP', tp],
    ['PP', pp],
    ['DP', dp],
    ['EP', ep],
  ] as const
  return cuts.flatMap(([name, size]) => (size === undefined || size === 1 ? [] : [`${name} ${size}`])).join(' ')
}
