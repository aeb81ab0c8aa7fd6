/** Strings for SVG. Every text goes through `escapeText`, every number through `n`: a chart is the same to the byte on any machine. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

/** One decimal is a tenth of a pixel. */
function n(value: number): string {
  return (Math.round(value * 10) / 10).toString()
}

export type Attributes = Readonly<Record<string, string | number | undefined>>

/** `<name key="value">children</name>`; keys without a value are left out. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const keys = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? n(value) : escapeText(String(value))}"`)
  return children.length === 0
    ? `<${name}${keys.join('')}/>`
    : `<${name}${keys.join('')}>${children.join('')}</${name}>`
}
