/** A run, or a choice made from one, for a person to read. */
export { choiceText } from './choice-text.ts'
