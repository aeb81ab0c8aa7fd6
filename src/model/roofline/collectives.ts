import type { Configuration } from './configuration.ts'
import type { Constants } from './constants.ts'
import { NOTHING, type Operator, type PartName, type Share } from './operator.ts'
import { weightFormats } from './precision.ts'

/** Bytes of one activation on its way between GPUs. */
const ACTIVATION = 2

/**
 * What GPUs of a replica tell each other in a step. With tensor parallelism the parts of every sum are added up after attention and after
 * the feed-forward layer; a ring sends 2(g − 1)/g of each vector. Where attention is copied and experts are shared out, tokens travel to
 * their experts and back instead. Between stages of a pipeline they are handed on once.
 */
export function collectiveOperators(configuration: Configuration, constants: Constants): Operator[] {
  const { model, gpu, parallelism, precision } = configuration
  const formats = weightFormats(precision, model, gpu)
  const { tp, pp, dp } = parallelism
  const vector = model.hidden * ACTIVATION
  const expertLayers = dp > 1 ? (model.experts?.layers ?? 0) : 0
  const operators: Operator[] = []

  const add = (name: PartName, group: number, times: number, bytesOf: (share: Share) => number): void => {
    const near = group <= gpu.domain
    const rate = near ? gpu.link.bytesPerSecond : constants.networkBytesPerSecond
    const bytesPerSecond = constants.linkShare * rate
    const onceS = near ? (gpu.link.pcie ? constants.pcieS * group : constants.linkS) : constants.networkS
    const startS = times * onceS
    operators.push({
      name,
      reads: 'communication',
      startS: () => startS,
      readS: (share) => (times * bytesOf(share)) / bytesPerSecond,
      computeS: NOTHING,
      bytesPerSecond,
      flopsPerSecond: 0,
    })
  }

  if (tp > 1) {
    const ring = (2 * (tp - 1) * vector) / tp
    add('allReduce', tp, 2 * model.layers - expertLayers, ({ copyTokens }) => ring * copyTokens)
  }
  if (expertLayers > 0) {
    const group = tp * dp
    // A token goes to each GPU that has an expert of it; over a network once to each node, whose GPUs hand it on among themselves.
    const others = group <= gpu.domain ? group - 1 : Math.ceil(group / gpu.domain) - 1
    const copies = Math.min(model.experts?.active ?? 1, others)
    // Out in the type that experts multiply, where that is shorter, and back in 16 bits; the ranks of one copy send a part of its tokens each.
    const out = formats.experts.compute === 'bf16' || formats.experts.compute === 'fp16' ? 2 : 1
    const bytes = ((out + ACTIVATION) / 2) * model.hidden
    add('allToAll', group, 2 * expertLayers, ({ copyTokens }) => (copyTokens / tp) * copies * bytes)
  }
  if (pp > 1) add('pipeline', tp * dp * pp, pp - 1, ({ copyTokens }) => copyTokens * vector)
  return operators
}
