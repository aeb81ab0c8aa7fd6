import { TwospeedError } from '../../core/index.ts'
import { type GivenLaw, readFit } from '../law.ts'

/** Terms c and d need to know how long contexts and prompts are, which no points file says. */
export function affineLaw(source: string): GivenLaw {
  const given = readFit(source)
  const { law } = given
  if (law.perThousandKvTokensS === undefined && law.perPrefillTokenS === undefined) return given
  throw new TwospeedError(
    'INVALID_VALUE',
    `--law ${source}: choose and plan take a law of a and b; c and d need lengths that the points do not hold`,
    'Add to b what a sequence of your length costs through c: b + c × its tokens / 1000.',
  )
}
