/**
 * Limits and plans that every statement of ours has. A pooler passes none of them on when a
 * connection is made, so each transaction sets them for itself there.
 */
const STATEMENT_SETTINGS = {
  /** Statements that take longer are cancelled, so that none holds locks for ever. */
  statement_timeout: '60s',
  /**
   * How long a transaction may be open without a statement: its process is frozen or gone. Whoever
   * takes over waits for the rows that it holds, so this is shorter than a lease.
   */
  idle_in_transaction_session_timeout: '5s',
  /**
   * Every hot statement has an index. A plan that was made while a table was small would read the
   * whole of it when it has grown.
   */
  enable_seqscan: 'off',
  /** A plan without an index seems so dear then that servers before 18 compile it each time. */
  jit: 'off',
}

/**
 * A machine that vanished says nothing: without these the server keeps its connections for hours,
 * and with them what they hold. It asks after 15 s, and gives a silent one up after 30.
 */
export const KEEPALIVE_SETTINGS = {
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  /** The same for what was sent and never acknowledged. */
  tcp_user_timeout: '30s',
}

/** The settings of a connection that is ours alone. */
export const SESSION_SETTINGS = { ...STATEMENT_SETTINGS, ...KEEPALIVE_SETTINGS }

/** Begins a transaction that brings its settings along, in one message. */
export const BEGIN_WITH_SETTINGS = [
  'BEGIN',
  ...Object.entries(STATEMENT_SETTINGS).map(([name, value]) => `SET LOCAL ${name} = '${value}'`),
].join('; ')
