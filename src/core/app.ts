/** An app, which an API key belongs to. The key itself is stored elsewhere, encrypted. */
export type App = {
  id: string
  teamId: string
  name: string
  description: string
  networks: readonly string[]
  isActive: boolean
  createdAtMs: number
}
