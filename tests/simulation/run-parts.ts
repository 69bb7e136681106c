/** What takes part in a run of the chain, for those who join in. */
export type { Life } from './process-life.ts'
export type { Run } from './sim-run.ts'
export type { SimStore, SimStores } from './sim-store.ts'
export type { Accompany } from './supervise.ts'
export { virtualClock } from './virtual-clock.ts'
