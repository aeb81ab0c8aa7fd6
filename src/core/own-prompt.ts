export interface ChatMessage {
  readonly role: string
  /** A text, or a list of parts. */
  readonly content: unknown
}

/** One entry of a user's file of prompts. */
export type OwnPrompt =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'messages'; readonly messages: readonly ChatMessage[] }
  /** A whole request body, to be sent as it is. */
  | { readonly kind: 'body'; readonly body: Readonly<Record<string, unknown>> }
  /** A recorded conversation, of which the user's side is said again. */
  | { readonly kind: 'talk'; readonly system?: string; readonly says: readonly string[] }
