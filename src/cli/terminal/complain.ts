/** Ends the program with a sentence for its user. */
export function complain(text: string, exitCode: number): never {
  console.error(text)
  process.exit(exitCode)
}
