/** A piece of HTML that is safe to insert as it is. */
export interface Markup {
  readonly markup: string
}

export type Content = Markup | string | number | undefined | readonly Content[]

/** A template in which every value is escaped, unless it is Markup itself. Lists are joined; undefined is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return { markup: parts.map((part, i) => part + (i < values.length ? render(values[i]) : '')).join('') }
}

/** Text that is markup already, such as a chart: only for strings of our own making. */
export const trusted = (markup: string): Markup => ({ markup })

function render(content: Content): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return content.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
  if (typeof content === 'number') return String(content)
  return 'markup' in content ? content.markup : content.map(render).join('')
}
