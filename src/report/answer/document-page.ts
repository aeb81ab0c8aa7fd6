import { html, type Markup } from '../markup.ts'
import { chartMarkup, page, tableMarkup } from '../page.ts'
import type { Block, Card, Document, Section } from './document.ts'

/** One HTML file that needs nothing else. */
export function documentPage({ title, sections }: Document): string {
  return page({
    title,
    generator: 'twospeed',
    header: html`<h1>${title}</h1>`,
    main: sections.map(sectionMarkup),
    footer: html`twospeed · the same answer as <code>--json</code> gives, laid out to be read.`,
  })
}

function sectionMarkup({ title, blocks }: Section): Markup {
  const [first] = blocks
  const isOfCards = first?.kind === 'cards'
  return html`<section>${isOfCards ? undefined : html`<h2>${title}</h2>`}${blocks.map(blockMarkup)}</section>
`
}

function blockMarkup(block: Block): Markup {
  switch (block.kind) {
    case 'sentences':
      return html`${block.lines.map((line) => html`<p>${line}</p>`)}`
    case 'arithmetic':
      return html`<ol class="steps">${block.lines.map((line) => html`<li>${line}</li>`)}</ol>`
    case 'doubts':
      return html`<ul class="warnings warn">${block.lines.map((line) => html`<li>${line}</li>`)}</ul>`
    case 'list':
      return html`<ul class="warnings">${block.items.map((item) => html`<li>${item}</li>`)}</ul>`
    case 'commands':
      return html`<ul class="warnings">${block.commands.map(({ name, command, notes }) => html`<li>${name}: <code>${command}</code>${notes.map((note) => html`<br><span class="mute">${note}</span>`)}</li>`)}</ul>`
    case 'table':
      return tableMarkup(block.table, block.name)
    case 'cards':
      return html`<div class="cards">${block.cards.map(card)}</div>`
    case 'chart':
      return chartMarkup(block.svg, block.name, block.caption)
  }
}

function card({ title, headline, figures }: Card): Markup {
  return html`<article class="card"><h3>${title}</h3>
<div class="load">${headline}</div>
<div class="speeds">${figures.map(({ value, unit }) => html`<div><b>${value}</b><span>${unit}</span></div>`)}</div></article>`
}
