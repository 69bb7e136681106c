/** What an API key stands for. The key itself is kept apart, encrypted. */
export type App = {
  id: string
  teamId: string
  name: string
  description: string
  networks: readonly string[]
  isActive: boolean
  createdAtMs: number
}
