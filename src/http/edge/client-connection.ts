export type ClientConnection = {
  /** It may be silent for as long as it likes. */
  hold(): void
  /** Ends it, within seconds, whatever it has not taken. */
  cut(): void
}
