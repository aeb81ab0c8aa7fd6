import type { ServerEngine, ServerSettings } from '../../core/index.ts'
import { type Section, section, sentences } from './document.ts'

const NAMES: Readonly<Record<ServerEngine, string>> = {
  vllm: 'vLLM',
  sglang: 'SGLang',
  'tensorrt-llm': 'TensorRT-LLM',
  'llama.cpp': 'llama.cpp',
  ollama: 'Ollama',
}

export function settingsSection(settings: ServerSettings | undefined): readonly Section[] {
  if (settings === undefined) return []
  const { engines } = settings
  return section('What to set the server to', sentences(...settings.sentences), {
    kind: 'commands',
    commands: engines.map(({ engine, measured, command, notes }) => ({
      name: `${NAMES[engine]}${measured === true ? ' (which was measured)' : ''}`,
      command,
      notes,
    })),
  })
}
