/** Load on a real server: one call from a URL to a run folder with its figures. */
export { calibrate } from './calibrate/calibrate.ts'
export type { Mock } from './calibrate/calibrate-load.ts'
export type { MockTruth } from './calibrate/calibrate-truth.ts'
export { type Calibration, type CalibrationLoad, wasDisturbed } from './calibrate/calibration.ts'
export { storeCalibration } from './calibrate/calibration-file.ts'
export { measure } from './measure.ts'
export type { MeasureOptions, Progress } from './options.ts'
