/** The reasons of failed calls, by the service's own codes. */
const REASONS: Readonly<Record<string, string>> = {
  throughput_exceeded: 'over the compute units a second (429)',
  capacity_exceeded: 'after the month was used up (429)',
  too_many_requests: 'too many at once (429)',
  upstream_failed: 'no node answered (503)',
  upstream_timeout: 'no node answered in time (504)',
  overloaded: 'turned away under load (503)',
  network_not_enabled: 'on a network that the app lacks (403)',
  app_inactive: 'with the key of an inactive app (403)',
  origin_not_allowed: 'from an origin that the app does not allow (403)',
  address_not_allowed: 'from an address that the app does not allow (403)',
  rpc_method_not_allowed: 'of a method that the app does not allow (403)',
  contract_not_allowed: 'about a contract that the app does not allow (403)',
  paid_only: 'of a method for paid tiers (403)',
  method_not_served: 'of a method that is not served here (-32601)',
  parse_error: 'were no JSON (-32700)',
  invalid_request: 'were no JSON-RPC (-32600)',
  invalid_params: 'had wrong parameters (-32602)',
  too_large: 'were too large (413)',
}

/** A reason as words; one that has none yet is shown as it is. */
export function reasonOf(code: string): string {
  return REASONS[code] ?? code.replaceAll('_', ' ')
}
