import { createRandom, type Random } from '../core/index.ts'

/** Each is one token, after a space or at the start, in eight vocabularies tried (GPT-2 to o200k, Llama 2 and 3, Gemma, Qwen, Mistral). */
const WORDS: readonly string[] = `
able about above actor add after age ago air all allow almost always am an and anger answer any apple area arm art as
ask atom back bad band bank bar basic be bean bed been begin bell best big bird bit block blue board body bone book
born both box boy brain break bridge bright build burn but buy by camera camp can card care case cat catch cause
center chair charge chart check child circle city class clean clear clock close cloud column come cool copy corn could
count course create credit crop cup custom dad danger dark deal deep delay design detail did do doctor dog done door
down draw drive drop each ear earth edge effect either else energy engine enter escape even event every except exit
face fact fall family far fat father feed field figure fill final find fire first fish five flag flat floor flow
flower follow food for force forest form found four friend from front full fun future gas get give glass go gold good
got grass gray great ground group had hair half hand handle hard hat have he health heart held help her hero high hill
his hit hold home horse hot house how ice if image inch index iron it jar job joy just key kind king know lake land
last late law lead leaf leave led left length less let level lie life like line list live log look lost lot low made
magic main major make many map market mask mass match math may me mean member men menu middle mile mind miss mobile
model money month more mother motion mouth move movie music must my nation near need new next night note notice number
object of offer office often old on once only open orange order organ our out oven own page pair paper parent party
pass past pay people period phone photo phrase piece pine place plan plane plate play please pool port pose power
press pretty profit pull put queue quick race radio rail raise ran range read ready reason record red repeat reply
rest rice rich ride ring rise river rock roll root rose round rule run safe same save say school score script sea
search seat second secret seed select self sent server shadow shape share she sheet shell ship shop shore should show
sign simple since single sit six skill skin sky slow small so some son soon sound south speed spot spring stable stand
star state stead stick still stone stop store storm stream street string style such system table tail talk team ten
test than that their then there they thing third this those three throw ticket time tiny title token too top total
touch track trade train true try tube two type unique unit until us use usual verb very view volume wait walk was
watch wave way we week weight well were west what when where while white who wide will win window wing wire woman wood
work worker world write wrong yard yellow yes yet your zero
`
  .trim()
  .split(/\s+/)

export interface Prompts {
  /** A text of so many words (at least one) that no earlier one begins like. */
  next(words: number): string
}

/** Words of the text that prompts are cut from, at least; it is at least four times as long as any of them. */
const TEXT_WORDS = 2 ** 17
/** The words at the front, by which prompts differ. */
const HEAD = 3

/** A long random text that any run of its words can be cut from at once: a prompt is made on the way of a measured request. */
function createText(random: Random, words: number): { cut(count: number): string } {
  const starts = new Uint32Array(words + 1)
  const pieces: string[] = []
  for (let i = 0; i < words; i++) {
    const word = WORDS[random.below(WORDS.length)] ?? ''
    pieces.push(word)
    starts[i + 1] = (starts[i] ?? 0) + word.length + 1
  }
  const text = pieces.join(' ')
  return {
    cut(count) {
      const from = random.below(words - count)
      return text.slice(starts[from], (starts[from + count] ?? 0) - 1)
    },
  }
}

/**
 * Random texts, none of which shares its beginning with another: a server's prefix cache must not be measured by accident. The first
 * words count through the list like digits (in an order that the seed shuffles), so that prompts within 512 of each other differ from
 * the first token on, and no two of the first 512 cubed begin with the same three words. The same seed gives the same prompts.
 */
export function createPrompts(seed: number | string): Prompts {
  const random = createRandom(seed)
  const order = [...WORDS]
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const swapped = order[i] ?? ''
    order[i] = order[j] ?? ''
    order[j] = swapped
  }
  const size = order.length
  const digit = (value: number): string => order[value % size] ?? ''
  let text: ReturnType<typeof createText> | undefined
  let longest = 0
  let made = 0
  return {
    next(words) {
      if (text === undefined || words > longest) {
        longest = Math.max(words, TEXT_WORDS / 4)
        text = createText(random, 4 * longest)
      }
      const high = Math.floor(made / size)
      const head = [digit(made), digit(high + 171), digit(Math.floor(high / size) + 341)]
      made++
      if (words <= HEAD) return head.slice(0, Math.max(1, words)).join(' ')
      return `${head.join(' ')} ${text.cut(words - HEAD)}`
    },
  }
}
