import { type Content, html, type Markup, trusted } from './markup.ts'
import { PAGE_STYLE } from './page-style.ts'
import type { Table } from './points-table.ts'

/** Nothing may be loaded and nothing may run: the page shows what it holds. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

interface Page {
  readonly title: string
  readonly generator: string
  readonly header: Content
  readonly main: Content
  readonly footer: Content
}

/** One HTML file that needs nothing else. */
export function page({ title, generator, header, main, footer }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="generator" content="${generator}">
<title>${title}</title>
<style>${trusted(PAGE_STYLE)}</style>
</head>
<body>
<header>
${header}
</header>
<main>
${main}
</main>
<footer>${footer}</footer>
</body>
</html>
`.markup
}

/** In a box of its own that scrolls, for a line that is longer than a phone is wide. */
export function tableMarkup({ columns, rows }: Table, name: string): Markup {
  const side = (align: string | undefined): string => (align === 'left' ? 'left' : '')
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table class="points${columns.at(-1)?.align === 'left' ? ' worded' : ''}"><thead><tr>${columns.map(({ head, align }) => html`<th class="${side(align)}">${head.map((line, i) => (i === 0 ? line : html`<br>${line}`))}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td class="${side(columns[i]?.align)}">${cell}</td>`)}</tr>`)}</tbody></table></div>`
}

/** `svg` is a chart of our own making. */
export function chartMarkup(svg: string, name: string, caption: string): Markup {
  return html`<figure><div class="wide">Wider than this screen: it scrolls sideways.</div><div class="scroll" role="region" aria-label="${name}" tabindex="0">${trusted(svg)}</div><figcaption>${caption}</figcaption></figure>`
}
