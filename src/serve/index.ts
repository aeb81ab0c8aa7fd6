/** The reference server: an OpenAI-compatible endpoint over an engine that is timed by a law, or over a real llama.cpp. */
export type { Engine } from './engine.ts'
export { createLlamaEngine, type LlamaOptions } from './llama.ts'
export { type RandomModel, randomModelFile } from './random-model.ts'
export { type RunningServer, type ServerOptions, startServer } from './server.ts'
export { createSimulatedEngine, type SimulatedOptions } from './simulated.ts'
export type { TruthRecord } from './truth.ts'
