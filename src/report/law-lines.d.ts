import { type Fit } from '../core/index.ts'
/** The law in words a person can check: its two terms, where it ends, how far it is off, what it left out. One string a line. */
export declare function lawLines(fit: Fit | undefined): readonly string[]
/** A stable word of `setAside` in plain words; one that is not known is shown as it is. */
export declare function whyAside(word: string): string
