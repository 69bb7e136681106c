/**
 * Hints between processes, best effort: a lost one only means that a poll finds the change a
 * little later.
 */
export interface Signals {
  publish(topic: string, text: string): void

  subscribe(topic: string, hear: (text: string) => void): () => void

  close(): Promise<void>
}
