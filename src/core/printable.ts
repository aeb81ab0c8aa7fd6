/**
 * Text that came from elsewhere, fit for a terminal or one line of a file: control characters, with which a server could colour, move
 * or rename a terminal, become spaces.
 */
export const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ')
