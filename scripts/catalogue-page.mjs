// The catalogue as a page: what `--gpu` and `--model` know, where each entry comes from, and how to add one.
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)

/** Three significant digits, without a tail of zeros. */
const short = (value) => String(Number(value.toPrecision(3)))
const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ' ')

function accelerator({ id, vendor, memoryBytes, memoryBytesPerSecond, flopsPerSecond, link, domain, powerW, source }) {
  const rate = (type) => (flopsPerSecond[type] === undefined ? '' : count(Math.round(flopsPerSecond[type] / 1e12)))
  return [
    `\`${id}\``,
    vendor,
    (memoryBytes / 2 ** 30).toFixed(1),
    short(memoryBytesPerSecond / 1e12),
    ...['bf16', 'fp8', 'int8', 'fp4'].map(rate),
    `${link.name}, ${link.bytesPerSecond / 1e9}`,
    domain,
    powerW ?? '',
    source,
  ]
}

function attentionName({ attention, linear, window }) {
  const { kind, heads } = attention
  const heart =
    kind === 'latent'
      ? `${heads} heads, latent ${attention.kvRank} + ${attention.ropeDim}`
      : `${heads} heads, ${attention.kvHeads} KV × ${attention.headDim}`
  return [
    heart,
    ...(attention.indexer === undefined ? [] : [`at most ${attention.indexer.tokens} tokens`]),
    ...(window === undefined ? [] : [`${window.layers} layers see ${window.tokens}`]),
    ...(linear === undefined ? [] : [`${linear.layers} layers linear`]),
  ].join('; ')
}

function model(shape, parametersOf) {
  const { total, active } = parametersOf(shape)
  const { experts } = shape
  return [
    `\`${shape.id}\``,
    short(total / 1e9),
    experts === undefined ? '' : short(active / 1e9),
    shape.layers,
    shape.hidden,
    attentionName(shape),
    experts === undefined ? '' : `${experts.active} of ${experts.all}${experts.sharedWidth > 0 ? ' + shared' : ''}`,
    shape.storedAs ?? '',
    shape.source,
  ]
}

export function cataloguePage({ ACCELERATORS, MODELS, parametersOf }) {
  const example = {
    accelerators: ACCELERATORS.filter(({ id }) => id === 'l40s').map((gpu) => ({ ...gpu, id: 'my-l40s' })),
    models: MODELS.filter(({ id }) => id.endsWith('Mixtral-8x7B-v0.1')).map((shape) => ({
      ...shape,
      id: 'my-mixtral',
    })),
  }
  return [
    '# Catalogue',
    '',
    'What `--gpu` and `--model` know by name. Case, `-`, `_` and spaces do not count, nor do the publisher of a model and',
    'endings that leave its shape alone (`-Instruct`, a date); an ending that names a format (`-FP8`, `-NVFP4`, `-AWQ`) says',
    'how the weights are kept. Of several forms of one GPU a bare name means the first below. A `config.json` is read too.',
    '',
    '## Accelerators',
    '',
    'Rates are of dense matrices, never with 2:4 sparsity, in 10¹² FLOP/s; bandwidth in 10¹² bytes/s; links in 10⁹ bytes/s, one',
    'direction, of one GPU to all others of its domain; memory as drivers report it, where that was found.',
    '',
    ...table(
      ['name', 'vendor', 'GiB', 'TB/s', 'bf16', 'fp8', 'int8', 'fp4', 'link, GB/s', 'domain', 'W', 'source'],
      ACCELERATORS.map(accelerator),
    ),
    '',
    '## Models',
    '',
    'Parameters in 10⁹, from the shape; the tests hold each total to the published one within 1 %. Active ones are what a token',
    'passes through, the output matrix among them and the input embedding not.',
    '',
    ...table(
      ['name', 'total', 'active', 'layers', 'width', 'attention', 'experts', 'kept as', 'source'],
      MODELS.map((shape) => model(shape, parametersOf)),
    ),
    '',
    '## Your own',
    '',
    '`--catalogue FILE` adds to both lists, and goes before them where names are the same. Sizes are in bytes, bytes/s and FLOP/s.',
    'Of an accelerator `vendor`, `domain` (8), `powerW` and `source` may be left out; a model may also be `{"id", "config"}` with its',
    'config.json inside.',
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
  ].join('\n')
}
