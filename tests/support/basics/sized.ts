const IS_FULL = process.env.HEADGATE_TEST_SIZE === 'full'

/** Cases of a test: the first number in `npm test`, the second in `npm run test:full`. */
export function sized(fast: number, full: number): number {
  return IS_FULL ? full : fast
}
