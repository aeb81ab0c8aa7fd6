import { describe, expect, it } from 'vitest'
import { isSweepsCsv, parseSweepsCsv, sweepName } from '../../src/record/index.ts'
import { faultOf } from './fault.ts'

const HEAD =
  'source,measured,system,backend,backend_version,model,precision,gemm_quant,moe_quant,isl,osl,concurrency,num_gpus,tp,pp,attn_dp,moe_tp,moe_ep,ttft_ms,tpot_ms,tok_s_user_1000_over_tpot,derived_out_tok_s_gpu_littles_law,flag'
const FOUR = 'InferenceX,2025-11-10,b200_sxm,sglang,0.5,deepseek-ai/DeepSeek-R1,fp4,nvfp4,nvfp4,1024,1024'
const four = (concurrency: number, tpotMs: number, perGpu: number, flag = ''): string =>
  `${FOUR},${concurrency},8,8,1,1,8,1,387.89,${tpotMs},${(1000 / tpotMs).toFixed(3)},${perGpu},${flag}`
const table = (...rows: readonly string[]): string => `${[HEAD, ...rows].join('\r\n')}\r\n`

describe('a table of sweeps', () => {
  it('gives one sweep for rows that differ in load alone, with the numbers of its rows', () => {
    const other = four(4, 12, 50).replace('8,8,1,1,8,1', '4,4,1,1,4,1')
    const sweeps = parseSweepsCsv(table(four(4, 8, 60), other, four(64, 16, 500)))
    expect(sweeps.map(({ setup, rows }) => [setup.gpus, rows.map(({ row }) => row)])).toEqual([
      [8, [0, 2]],
      [4, [1]],
    ])
    expect(sweeps[0]?.rows[1]).toEqual({
      row: 2,
      concurrency: 64,
      tokensPerSecondPerUser: 62.5,
      outputTokensPerSecond: 4000,
      ttftMs: 387.89,
    })
    expect(sweeps[0]?.setup).toEqual({
      source: 'InferenceX',
      measured: '2025-11-10',
      system: 'b200_sxm',
      engine: 'sglang',
      engineVersion: '0.5',
      model: 'deepseek-ai/DeepSeek-R1',
      precision: 'fp4',
      gemmPrecision: 'nvfp4',
      expertPrecision: 'nvfp4',
      inputTokens: 1024,
      outputTokens: 1024,
      gpus: 8,
      ...{ tp: 8, pp: 1, dp: 1, moeTp: 8, ep: 1 },
    })
  })

  it('takes a flag for the fault of its row, but not one that tells of a correction', () => {
    const flags = ['gpu_count_corrected', 'gpu_count_corrected;ttft_over_half_of_decode_time', '']
    const [sweep] = parseSweepsCsv(table(...flags.map((flag, i) => four(4 + i, 8, 60, flag))))
    expect(sweep?.rows.map(({ fault }) => fault)).toEqual([undefined, 'ttft_over_half_of_decode_time', undefined])
  })

  it("counts throughput by Little's law where the table does not hold it", () => {
    // 4 in flight, 1024 tokens each in 0.38789 s + 1023 × 9.0893 ms: 4096 tokens / 9.68624 s.
    const [sweep] = parseSweepsCsv('concurrency,num_gpus,osl,ttft_ms,tpot_ms\n4,4,1024,387.89,9.0893\n')
    expect(sweep?.rows[0]?.outputTokensPerSecond).toBeCloseTo(422.868, 2)
    expect(sweep?.setup).toEqual({ gpus: 4, outputTokens: 1024 })
  })

  it('takes split servers, and names what it knows', () => {
    const split =
      'model,system,precision,concurrency,num_gpus,prefill_workers,prefill_gpus,decode_workers,decode_gpus,tpot_ms,derived_out_tok_s_gpu_littles_law\n' +
      'deepseek-ai/DeepSeek-V3,h200_sxm,fp8,4,24,2,16,1,8,10,20\n'
    expect(parseSweepsCsv(split).map(({ setup }) => sweepName(setup))).toEqual([
      'DeepSeek-V3 on 24 × h200_sxm, fp8, 2 × 8 prefill + 1 × 8 decode',
    ])
    const [colocated] = parseSweepsCsv(table(four(4, 8, 60)))
    expect(sweepName(colocated?.setup ?? { gpus: 0 })).toBe(
      'DeepSeek-R1 on 8 × b200_sxm, sglang 0.5, fp4, TP 8, 1024 in, 1024 out, 2025-11-10',
    )
  })

  it('refuses cells that contradict each other, each by its line and name', () => {
    const of = (rows: string) => faultOf(() => parseSweepsCsv(rows))
    const right = four(4, 8, 60)
    expect(() => parseSweepsCsv(table(right, four(8, 8.3333, 60)))).not.toThrow()
    expect(of(table(right, right.replace(',125.000,', ',100,')))).toMatch(
      /line 3: tok_s_user_1000_over_tpot 100 is not 1000 \/ tpot_ms 8/,
    )
    expect(of(table(right.replace(',8,8,1,1,', ',4,8,1,1,')))).toMatch(/num_gpus 4 is no multiple of .*, 8/)
    const head =
      'concurrency,num_gpus,prefill_workers,prefill_tp,prefill_gpus,decode_workers,decode_tp,decode_gpus,tpot_ms'
    const split = (cells: string) => `${head},derived_out_tok_s_gpu_littles_law\n4,${cells},10,20\n`
    expect(() => parseSweepsCsv(split('16,2,4,8,1,8,8'))).not.toThrow()
    expect(of(split('16,3,4,8,1,8,8'))).toMatch(/prefill_gpus 8 is no multiple of .*, 12/)
    expect(of(split('24,2,4,8,1,8,8'))).toMatch(/num_gpus 24 is not prefill_gpus 8 and decode_gpus 8/)
  })

  it('is told from a points file by its columns', () => {
    expect(isSweepsCsv(`\uFEFF\n${table(four(4, 8, 60))}`)).toBe(true)
    expect(isSweepsCsv('concurrency,outputTokensPerSecond,ttftMs\n1,2,3\n')).toBe(false)
    expect(isSweepsCsv('')).toBe(false)
  })

  it.each([
    ['it is empty', ''],
    ['no row below the header', HEAD],
    ['column num_gpus is missing', 'concurrency,tpot_ms,derived_out_tok_s_gpu_littles_law\n4,8,60\n'],
    ['column tpot_ms is missing', 'concurrency,num_gpus,derived_out_tok_s_gpu_littles_law\n4,8,60\n'],
    ['column derived_out_tok_s_gpu_littles_law is missing', 'concurrency,num_gpus,tpot_ms,ttft_ms\n4,8,8,60\n'],
    ['unknown column "joules"', 'concurrency,num_gpus,tpot_ms,derived_out_tok_s_gpu_littles_law,joules\n4,8,8,60,1\n'],
    [
      'column tpot_ms is double',
      'concurrency,num_gpus,tpot_ms,tpot_ms,derived_out_tok_s_gpu_littles_law\n4,8,8,8,60\n',
    ],
    ['line 3, concurrency: "many"', table(four(4, 8, 60), four(8, 8, 60).replace(',8,8,8,1', ',many,8,8,1'))],
    ['line 2, tpot_ms: "-8"', table(four(-8, -8, 60))],
    ['line 2, num_gpus: ""', 'concurrency,num_gpus,tpot_ms,derived_out_tok_s_gpu_littles_law\n4,,8,60\n'],
    ['line 2, ttft_ms: ""', 'concurrency,num_gpus,osl,ttft_ms,tpot_ms\n4,4,1024,,9\n'],
    ['line 2 has 1 cells, not 23', table('4')],
  ])('refused: %s', (problem, text) => {
    expect(faultOf(() => parseSweepsCsv(text))).toMatch(/^INVALID_POINTS: /)
    expect(faultOf(() => parseSweepsCsv(text))).toContain(problem)
  })
})
