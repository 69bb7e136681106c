/** An item that keeps its own place among those in flight. */
export type Placed = { place: number }

export const NO_PLACE = -1

/**
 * Keeps calls or bodies in flight, in no order. Hot path: when items come and go with each call, a
 * set keeps rebuilding its table, which costs more than the rest of their bookkeeping.
 */
export function openInFlight<T extends Placed>() {
  const items: T[] = []
  return {
    get size(): number {
      return items.length
    },
    /** A copy, so that items may come and go while it is read. */
    list: () => [...items],
    add(item: T): void {
      if (item.place === NO_PLACE) item.place = items.push(item) - 1
    },
    /** False for one that is not in it. */
    remove(item: T): boolean {
      const { place } = item
      if (place === NO_PLACE) return false
      item.place = NO_PLACE
      const last = items.pop()
      if (last === undefined || last === item) return true
      last.place = place
      items[place] = last
      return true
    },
  }
}
