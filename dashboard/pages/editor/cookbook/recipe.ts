/** A query to start from, with the words that the templates and the manual say about it. */
export type Recipe = {
  id: string
  title: string
  /** Where in a block it looks. */
  looksAt: 'logs' | 'transactions' | 'callTracerTraces' | 'block'
  /** One line: what is delivered. */
  finds: string
  /** What a receiver has to know of it. */
  note?: string
  variables: readonly RecipeVariable[]
  /** A block in which nothing matched is of no use to the receiver. */
  skipEmpty: boolean
  /** The contracts that it names are those of Ethereum's main network. */
  namesContracts: boolean
  query: string
}

type RecipeVariable = { name: string; kind: 'Address' | 'Bytes32'; of: string }
