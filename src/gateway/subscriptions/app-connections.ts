import { Rejection } from '../../core/errors.ts'

export type AppConnections = {
  /** Takes one of the caller's places; the returned function gives it back. */
  take(callerName: string): (() => void) | Rejection
}

/** `connectionsMax` is read each time, since a reload may change it. */
export function openAppConnections(connectionsMax: () => number): AppConnections {
  // Only those who have a connection are in it.
  const open = new Map<string, number>()
  return {
    take(callerName) {
      const count = open.get(callerName) ?? 0
      const max = connectionsMax()
      if (count >= max) {
        const words = `This app has ${max} WebSocket connections, which is its limit here.`
        return new Rejection('too_many_requests', words)
      }
      open.set(callerName, count + 1)
      return () => {
        const left = (open.get(callerName) ?? 1) - 1
        if (left === 0) open.delete(callerName)
        else open.set(callerName, left)
      }
    },
  }
}
