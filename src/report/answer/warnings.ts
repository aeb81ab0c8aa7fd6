import { type Document, plain } from './document.ts'

/** An answer, before it what of what was given is to be doubted. */
export const withWarnings = (document: Document, warnings: readonly string[]): Document => ({
  ...document,
  sections: [...plain('What was given', { kind: 'doubts', lines: warnings }), ...document.sections],
})
