import { type FleetPlan } from '../../core/index.ts'
import { type Document } from './document.ts'
/** Several products: which way of the two it is and why, one line for each pool, then each in full. */
export declare function fleetDocument(fleet: FleetPlan): Document
