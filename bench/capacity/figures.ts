type Figure = { value: number; unit: string; of: string; from: string }

/**
 * The measured figures of the capacity model, all of a machine with 2 cores that others use too,
 * as bench/README.md has them, each with the scenario that measures it. Measure again, put the
 * new value here, and run `npm run bench -- capacity`.
 */
export const MEASURED = {
  uniqueCallUs: figure(55, 'µs', 'CPU of a unique call', 'p1'),
  repeatedCallUs: figure(20, 'µs', 'CPU of a repeated call', 'p2'),
  workersFactor: figure(1.2, '×', 'CPU of a call with workers, against one process', 'p1-workers'),
  requestBytes: figure(257, 'bytes', 'a small call', 'capacity-costs'),
  answerBytes: figure(294, 'bytes', 'its answer', 'capacity-costs'),
  usageRowServerUs: figure(65, 'µs', 'CPU of the server, a line of usage', 'capacity-costs'),
  usageRowWalBytes: figure(525, 'bytes', 'WAL, a line of usage', 'capacity-costs'),
  usageRowsPerSecond: figure(15_400, 'a second', 'the same lines, four writers', 'capacity-costs'),
  limitTeamBytes: figure(43.7, 'bytes', 'a team in a limit frame', 'capacity-costs'),
  limitWriteNs: figure(335, 'ns', 'CPU to write it', 'capacity-costs'),
  limitReadNs: figure(481, 'ns', 'CPU to read it', 'capacity-costs'),
  limitFrameTeams: figure(142, 'teams', 'in one limit frame', 'capacity-costs'),
  notifiesPerSecond: figure(7217, 'a second', 'frames by NOTIFY to 6 processes', 'capacity-costs'),
  blockMs: figure(20, 'ms', 'a full block, beside the answers of the node', 'p11'),
  queryHeapBytes: figure(713, 'bytes', 'heap, a standing query of three lists', 'p14'),
  compileUs: figure(399, 'µs', 'CPU to compile it', 'capacity-costs'),
  createUs: figure(17, 'µs', 'CPU of the follower, a delivery', 'capacity-costs'),
  createPerSecond: figure(
    16_812,
    'a second',
    'deliveries that one network commits',
    'capacity-costs',
  ),
  sendUs: figure(112, 'µs', 'CPU of the courier, a delivery', 'capacity-costs'),
  deliveryServerUs: figure(96, 'µs', 'CPU of the server, a delivery', 'capacity-costs'),
  deliveryWalBytes: figure(2914, 'bytes', 'WAL, a delivery of 2 KB', 'capacity-costs'),
  deliveryDiskBytes: figure(2671, 'bytes', 'tables and indexes, the same', 'capacity-costs'),
  pruneServerUs: figure(20, 'µs', 'CPU of the server, a delivery removed', 'capacity-costs'),
  prunesPerSecond: figure(33_312, 'a second', 'deliveries removed row by row', 'capacity-costs'),
} satisfies Record<string, Figure>

export type Figures = Record<keyof typeof MEASURED, number>

/** The values alone. */
export const FIGURES = Object.fromEntries(
  Object.entries(MEASURED).map(([name, { value }]) => [name, value]),
) as Figures

function figure(value: number, unit: string, of: string, from: string): Figure {
  return { value, unit, of, from }
}
