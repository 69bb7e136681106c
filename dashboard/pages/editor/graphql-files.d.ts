/** A query of the cookbook, imported as text. */
declare module '*.graphql' {
  const text: string
  export default text
}
