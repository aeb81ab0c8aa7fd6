import { type WhatIf } from '../../core/index.ts'
import { type Document } from './document.ts'
/** An answer with others beside it, each of one input changed. */
export declare function withWhatIf(document: Document, whatIf: readonly WhatIf[]): Document
