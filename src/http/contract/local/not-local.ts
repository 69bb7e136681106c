export const LOCAL_TAG = 'Local development'

/** Every call that exists in local development alone has these. */
export const LOCAL = { tag: LOCAL_TAG, localOnly: true } as const

/** The errors of those calls. */
export const NOT_LOCAL = {
  '404': '`NotFound`: this instance has a configuration file, so it is no local development.',
}
