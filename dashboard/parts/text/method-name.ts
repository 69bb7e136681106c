/** A method as figures name it: those that no node here has are counted as one. */
export function methodName(id: string): { text: string; isCode: boolean } {
  return id === 'unknown' ? { text: 'Unknown methods', isCode: false } : { text: id, isCode: true }
}
