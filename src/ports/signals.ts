/** `machine`: only the processes of this machine receive it. */
export type Reach = 'everywhere' | 'machine'

/**
 * Hints between processes, best effort: when one is lost, a poll finds the change a little later.
 */
export interface Signals {
  /**
   * Resolves when every process of this machine has received the text, or after two seconds.
   * Nobody waits for other machines.
   */
  publish(topic: string, text: string, reach?: Reach): Promise<void>

  subscribe(topic: string, receive: (text: string) => void): () => void

  close(): Promise<void>
}

/** The signals of a process that passes them on to other processes of its machine. */
export interface MachineSignals extends Signals {
  /** Adds a process. `deliver` resolves when it has received the text, or stops waiting. */
  join(deliver: Deliver): SignalMember
}

export type Deliver = (topic: string, text: string) => Promise<void>

export type SignalMember = {
  /** Publishes for that process, which does not receive its own texts back. */
  publish(topic: string, text: string, reach: Reach): Promise<void>
  leave(): void
}
