/**
 * A bounded map that forgets what was not used for a while: when the young generation is full it
 * becomes the old one, and the old one is dropped. That costs one look-up a hit, where a list by
 * last use would be rewritten each time.
 */
export type TwoGenerationMap<K, V> = ReturnType<typeof openTwoGenerationMap<K, V>>

type Generations<K, V> = {
  /** The limit of one generation, so the map never holds more than twice as much. */
  weightMax: number
  /** Every entry weighs 1 without it. The weight of a value must never change. */
  weigh?(key: K, value: V): number
}

export function openTwoGenerationMap<K, V>(limits: Generations<K, V>) {
  const { weightMax, weigh = () => 1 } = limits
  let young = new Map<K, V>()
  let old = new Map<K, V>()
  let youngWeight = 0
  let oldWeight = 0

  const drop = (key: K) => {
    const recent = young.get(key)
    if (recent !== undefined && young.delete(key)) youngWeight -= weigh(key, recent)
    const former = old.get(key)
    if (former !== undefined && old.delete(key)) oldWeight -= weigh(key, former)
  }

  const put = (key: K, value: V) => {
    const weight = weigh(key, value)
    const before = young.get(key)
    const added = before === undefined ? weight : weight - weigh(key, before)
    if (youngWeight + added > weightMax) {
      // A value that fills a generation by itself is not kept, nor the one it was to replace.
      if (weight > weightMax) return drop(key)
      old = young
      oldWeight = youngWeight
      young = new Map()
      youngWeight = weight
    } else youngWeight += added
    young.set(key, value)
  }

  return {
    /** A value of the old generation that is asked for becomes young again. */
    get(key: K): V | undefined {
      const recent = young.get(key)
      if (recent !== undefined) return recent
      const former = old.get(key)
      if (former !== undefined) put(key, former)
      return former
    },
    set: put,
    delete: drop,
    clear(): void {
      young = new Map()
      old = new Map()
      youngWeight = 0
      oldWeight = 0
    },
    /** The size of both generations together; a value that became young again counts twice. */
    get weight(): number {
      return youngWeight + oldWeight
    },
  }
}
