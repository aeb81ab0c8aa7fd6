import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Block, type Document, plain, section } from '../../../src/report/answer/document.ts'
import { documentMarkdown, documentPage, documentText } from '../../../src/report/index.ts'

const HOSTILE = `<script>alert('x')</script>&"[a](b)|\``

const words = fc.string({ minLength: 1, unit: fc.constantFrom(...'ab1 <>&"\'`|[]()*_\\#-') }).map((text) => `a${text}z`)
const lines = fc.array(words, { minLength: 1, maxLength: 3 })
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constantFrom('sentences' as const, 'arithmetic' as const, 'doubts' as const), lines }),
  fc.record({ kind: fc.constant('list' as const), items: lines }),
  fc.record({
    kind: fc.constant('table' as const),
    name: words,
    table: fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 3 }).map((rows) => ({
      columns: [{ head: ['x'], align: 'left' as const }, { head: ['y', 'z'] }],
      rows,
    })),
  }),
)
const documents: fc.Arbitrary<Document> = fc.record({
  title: words,
  sections: fc.array(fc.record({ title: words, blocks: fc.array(block, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
})

const textsOf = ({ sections }: Document): readonly string[] =>
  sections.flatMap(({ title, blocks }) => [
    title,
    ...blocks.flatMap((each) => {
      if (each.kind === 'table') return each.table.rows.flat()
      if (each.kind === 'list') return each.items
      return 'lines' in each ? each.lines : []
    }),
  ])

const unescapedPage = (page: string): string =>
  page.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
const unescapedMarkdown = (text: string): string => text.replace(/\\([\\`*_[\]<>#|~])/g, '$1')

describe('a document', () => {
  it('says the same in each form', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const [text, markdown, page] = [
          documentText(document),
          unescapedMarkdown(documentMarkdown(document)),
          unescapedPage(documentPage(document)),
        ]
        for (const said of textsOf(document)) {
          expect(text).toContain(said)
          expect(markdown).toContain(said)
          expect(page).toContain(said)
        }
      }),
      { numRuns: 40, seed: 6 },
    )
  })

  it('has every element of its page closed, whatever it says', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const open: string[] = []
        for (const [, slash, name = '', self] of documentPage(document).matchAll(
          /<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/gi,
        )) {
          if (self === '/' || /^(meta|br|doctype)$/i.test(name)) continue
          if (slash === '/') expect(open.pop()).toBe(name)
          else open.push(name)
        }
        expect(open).toEqual([])
      }),
      { numRuns: 40, seed: 7 },
    )
  })

  it('keeps what comes from outside text', () => {
    const rows = [[HOSTILE, HOSTILE]]
    const document: Document = {
      title: HOSTILE,
      sections: section(
        HOSTILE,
        { kind: 'sentences', lines: [HOSTILE] },
        { kind: 'table', name: HOSTILE, table: { columns: [{ head: [HOSTILE] }, { head: [''] }], rows } },
        { kind: 'commands', commands: [{ name: HOSTILE, command: HOSTILE, notes: [HOSTILE] }] },
        { kind: 'cards', cards: [{ title: HOSTILE, headline: HOSTILE, figures: [{ value: HOSTILE, unit: HOSTILE }] }] },
      ),
    }
    const page = documentPage(document)
    expect(page).not.toContain('<script')
    expect(page).not.toMatch(/"\[a\]/)
    expect(page).toContain('&#60;script&#62;')
    // In a piece of code only a backtick ends it.
    const outsideCode = documentMarkdown(document).replace(/`[^`]*`(?=\.| |$)/gm, '')
    expect(outsideCode).not.toMatch(/(^|[^\\])<script|[^\\]\[a\]/)
  })

  it('shows a terminal no title of what says itself what it is of, and nothing that is long', () => {
    const said = { kind: 'sentences', lines: ['So it is.'] } as const
    const [own, long] = [plain('Own', said), section('Long', said).map((each) => ({ ...each, isLong: true }))]
    expect(documentText({ title: 'T', sections: [...own, ...long] })).toBe('So it is.')
    expect(documentText({ title: 'T', sections: section('Own', said) })).toBe('Own\nSo it is.')
    expect(documentMarkdown({ title: 'T', sections: [...own, ...long] })).toBe(
      '# T\n\n## Own\n\nSo it is.\n\n## Long\n\nSo it is.\n',
    )
  })

  it('has no part that says nothing', () => {
    const empty = { columns: [], rows: [] }
    expect(section('Empty', undefined, { kind: 'table', name: '', table: empty }, { kind: 'list', items: [] })).toEqual(
      [],
    )
    expect(section('Full', undefined, { kind: 'list', items: ['one'] })).toHaveLength(1)
  })
})
