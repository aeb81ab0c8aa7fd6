import { describe, expect, it } from 'vitest'
import { folderWith } from '../support/planning-case.ts'
import { runCli } from './run-cli.ts'

const ASKED = ['--model', 'DeepSeek-V3', '--gpu', 'h200-sxm', '--precision', 'fp8', '--concurrency', '36,288']
const SPLIT = ['--prefill', '1x8', '--decode', '9x8', '--input-tokens', '1024', '--output-tokens', '1024']

/** Public runs of 8192 tokens in on other pools, and one of another GPU (InferenceX, Apache-2.0). */
const ROWS = `source,system,backend,model,precision,isl,osl,concurrency,prefill_workers,prefill_tp,prefill_dp,prefill_gpus,decode_workers,decode_tp,decode_dp,decode_gpus,num_gpus,ttft_ms,tpot_ms
InferenceX,h200_sxm,trtllm,deepseek-ai/DeepSeek-V3,fp8,8192,1024,28,1,8,1,8,7,8,1,56,64,1094.76,13.7974
InferenceX,h200_sxm,trtllm,deepseek-ai/DeepSeek-V3,fp8,8192,1024,48,1,8,1,8,6,8,1,48,56,1718.5,16.8068
InferenceX,h200_sxm,trtllm,deepseek-ai/DeepSeek-V3,fp8,8192,1024,160,2,8,1,16,5,8,1,40,56,2353.11,27.5529
InferenceX,h100_sxm,trtllm,deepseek-ai/DeepSeek-V3,fp8,8192,1024,9,1,1,16,16,3,16,1,48,64,7661.03,15.9072
`

interface Answer {
  readonly calibratedBy?: number
  readonly hardware: { readonly gpus: number }
  readonly frontier: readonly { readonly tokensPerSecondPerGpu: number; readonly tokensPerSecondPerUser: number }[]
}

describe('predict of split pools', () => {
  it('is calibrated by rows of other split pools, and then near what was measured of these', () => {
    const dir = folderWith({ 'rows.csv': ROWS })
    const { exit, stdout } = runCli(['predict', ...ASKED, ...SPLIT, '--calibrate', 'rows.csv', '--json'], dir)
    expect(exit).toBe(0)
    const { calibratedBy, hardware, frontier } = JSON.parse(stdout) as Answer
    expect(calibratedBy).toBe(3)
    expect(hardware.gpus).toBe(80)
    // The same source: 74.7 tok/s/user and 32.1 tok/s/GPU at 36, 39.5 and 135 at 288.
    const near = (value: number | undefined, measured: number): void => {
      expect(Math.abs((value ?? 0) / measured - 1)).toBeLessThan(0.15)
    }
    near(frontier[0]?.tokensPerSecondPerUser, 74.7)
    near(frontier[0]?.tokensPerSecondPerGpu, 32.1)
    near(frontier[1]?.tokensPerSecondPerUser, 39.5)
    near(frontier[1]?.tokensPerSecondPerGpu, 135)
  })

  it('counts the GPUs of both pools', () => {
    const { stdout } = runCli(['predict', ...ASKED, ...SPLIT, '--json'], folderWith({}))
    const { frontier } = JSON.parse(stdout) as Answer & {
      readonly frontier: readonly { outputTokensPerSecond: number }[]
    }
    for (const { outputTokensPerSecond, tokensPerSecondPerGpu } of frontier)
      expect(tokensPerSecondPerGpu).toBeCloseTo(outputTokensPerSecond / 80, 6)
  })
})
