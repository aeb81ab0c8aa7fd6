/** docs/reference/benchmarks.md, made of what the benches have left. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { readResult } from '../results.ts'
import { accuracySection } from './accuracy.ts'
import { generatorSection } from './generator.ts'
import { llamaServerSection } from './llama-server.ts'
import { reportSection } from './report.ts'
import { scaleSection } from './scale.ts'
import { searchSection } from './search.ts'
import { simAgreementSection } from './sim-agreement.ts'
import { simSpeedSection } from './sim-speed.ts'

const PAGE = new URL('../../docs/reference/benchmarks.md', import.meta.url)

const HEAD = `# Benchmarks

What twospeed claims of its own speed and accuracy, measured. The commands named below make this page; do not edit it.`

export function writePage(): void {
  const generator = readResult('generator')
  const accuracy = readResult('accuracy')
  const llamaServer = readResult('llama-server')
  const report = readResult('report')
  const scale = readResult('scale')
  const search = readResult('search')
  const simAgreement = readResult('sim-agreement')
  const simSpeed = readResult('sim-speed')
  const sections = [
    HEAD,
    ...(generator === undefined ? [] : [generatorSection(generator)]),
    ...(accuracy === undefined ? [] : [accuracySection(accuracy)]),
    ...(llamaServer === undefined ? [] : [llamaServerSection(llamaServer)]),
    ...(scale === undefined ? [] : [scaleSection(scale)]),
    ...(search === undefined ? [] : [searchSection(search)]),
    ...(simAgreement === undefined ? [] : [simAgreementSection(simAgreement)]),
    ...(simSpeed === undefined ? [] : [simSpeedSection(simSpeed)]),
    ...(report === undefined ? [] : [reportSection(report)]),
  ]
  mkdirSync(new URL('.', PAGE), { recursive: true })
  writeFileSync(PAGE, `${sections.join('\n\n')}\n`)
}
