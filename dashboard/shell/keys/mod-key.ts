/** The key that shortcuts call `mod`, as it is printed on the reader's keyboard. */
export const MOD_KEY = /^(Mac|iP)/.test(navigator.platform) ? '⌘' : 'Ctrl '
