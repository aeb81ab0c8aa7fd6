/** Load on a real server: one call from a URL to a run folder with its figures. */
export { calibrate } from './calibrate.ts'
export type { Mock } from './calibrate-load.ts'
export type { MockTruth } from './calibrate-truth.ts'
export { type Calibration, type CalibrationLoad, wasDisturbed } from './calibration.ts'
export { storeCalibration } from './calibration-file.ts'
export { measure } from './measure.ts'
export type { MeasureOptions, Progress } from './options.ts'
