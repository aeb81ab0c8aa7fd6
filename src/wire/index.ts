/** The dialects of OpenAI-compatible servers: what to send, and what an answer's bytes say. */
export { type Answer, type AnswerReader, createAnswerReader, type Ending } from './answer.ts'
export { readErrorBody } from './fault.ts'
export { type Endpoint, requestBody } from './request.ts'
export { createShapes, type Shapes } from './shapes.ts'
