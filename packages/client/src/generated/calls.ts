// Made of the OpenAPI document by `npm run build:client`. Changes belong into src/http/contract.
import type {
  App,
  AppChange,
  CallPoint,
  CallStats,
  CheckQuery,
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  Devnet,
  DevnetChange,
  DevnetDrop,
  DevnetMine,
  DevnetReorganisation,
  DevnetSend,
  DevnetSent,
  DevnetStall,
  DevnetUpstream,
  DevnetUpstreamChange,
  EstimateQuery,
  GapEvent,
  HeadEvent,
  Inbox,
  InboxArrivalPage,
  InboxChange,
  JwtKey,
  KeyRotation,
  ListedSession,
  Network,
  NewApp,
  NewJwtKey,
  NewReplay,
  NewSession,
  NewTeam,
  NewTeamToken,
  NewToken,
  NewVariableItems,
  NewWebhook,
  OfferedTier,
  QueryCheck,
  QueryEstimate,
  Replay,
  Session,
  SolanaDevnet,
  SolanaDevnetPace,
  Team,
  TeamChange,
  TeamCreated,
  TestQuery,
  TestQueryResult,
  TestWebhook,
  TestWebhookAttempt,
  Token,
  TokenCreated,
  UpstreamSpend,
  UsagePoint,
  UsageSummary,
  VariableChange,
  VariableList,
  VariablePage,
  Webhook,
  WebhookChange,
  WebhookEvent,
  WebhookQuery,
  WebhookStats,
} from './schemas.ts'

/** Every call by its operation id. */
export type Calls = {
  /** List the team’s apps. All apps of the team, oldest first, with their keys and URLs. */
  listApps: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly App[]
    }
  }
  /**
   * Create an app. Makes an app with a key of its own. The key works on the given networks within a
   * second. With `by_name` an app that is there is answered as a read would, its key included.
   */
  createApp: {
    parameters: {
      /**
       * `true` makes nothing where one of this name is there already: it is answered if all that is
       * given is equal, and otherwise refused with 409. Two calls at the same time make one.
       */
      by_name?: 'true' | 'false' | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: NewApp
    answer: {
      data: App
    }
  }
  /** Read an app. One app with its key and its URLs. */
  getApp: {
    parameters: {
      /** The app’s id. */
      id: string
      /** The `ETag` of an answer: if it is still that, 304 comes without a body. */
      'If-None-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: App
    }
  }
  /**
   * Change an app. Changes the fields that are given and leaves the rest. `networks` replaces the
   * whole list, and so does each list in `allow`. It acts on calls within a second.
   */
  changeApp: {
    parameters: {
      /** The app’s id. */
      id: string
      /**
       * The `ETag` of an answer: the change is refused with 412 if it was changed since. `*` is
       * whatever is there.
       */
      'If-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: AppChange
    answer: {
      data: App
    }
  }
  /**
   * Delete an app. The app is gone at once and its key stops within a second. Its usage stays on
   * the team’s account.
   */
  deleteApp: {
    parameters: {
      /** The app’s id. */
      id: string
      /**
       * The `ETag` of an answer: the change is refused with 412 if it was changed since. `*` is
       * whatever is there.
       */
      'If-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: Record<string, never>
  }
  /**
   * Replace an app’s key. Gives the app a new key. Within a second the new key works and the old
   * one is refused with 401.
   */
  rotateAppKey: {
    parameters: {
      /** The app’s id. */
      id: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: App
    }
  }
  /** List the team’s keys for tokens. Public keys whose tokens are taken, oldest first. */
  listJwtKeys: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly JwtKey[]
    }
  }
  /**
   * Register a key for tokens. A JSON Web Token that is signed with the private half and names an
   * app of the team in `app` may call as that app, with `Authorization: Bearer <JWT>`, within a
   * second. It must carry the `id` as its `kid`, and expire (`exp`) within 24 hours. A team may
   * have 50 keys.
   */
  createJwtKey: {
    parameters: {
      /**
       * `true` makes nothing where one of this name is there already: it is answered if all that is
       * given is equal, and otherwise refused with 409. Two calls at the same time make one.
       */
      by_name?: 'true' | 'false' | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: NewJwtKey
    answer: {
      data: JwtKey
    }
  }
  /** Read a key for tokens. One public key, as it was registered. */
  getJwtKey: {
    parameters: {
      /** The key’s id. */
      id: string
      /** The `ETag` of an answer: if it is still that, 304 comes without a body. */
      'If-None-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: JwtKey
    }
  }
  /** Revoke a key for tokens. Tokens that it has signed are refused with 401 within a second. */
  deleteJwtKey: {
    parameters: {
      /** The key’s id. */
      id: string
      /**
       * The `ETag` of an answer: the change is refused with 412 if it was changed since. `*` is
       * whatever is there.
       */
      'If-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: Record<string, never>
  }
  /** Read the team. The team the token belongs to, with the limits of its tier. */
  getTeam: {
    parameters: {
      /** The `ETag` of an answer: if it is still that, 304 comes without a body. */
      'If-None-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: Team
    }
  }
  /**
   * Change the team. Turns autoscaling on or off. The tier can be changed with the operator’s token
   * only, which names the team with `X-Team-Id`.
   */
  changeTeam: {
    parameters: {
      /**
       * The `ETag` of an answer: the change is refused with 412 if it was changed since. `*` is
       * whatever is there.
       */
      'If-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: TeamChange
    answer: {
      data: Team
    }
  }
  /**
   * List the tiers. The tiers that are configured here, with what each allows, as the configuration
   * has them.
   */
  listTiers: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: readonly OfferedTier[]
    }
  }
  /** List all teams. Every team of this instance, oldest first. */
  listTeams: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: readonly Team[]
    }
  }
  /** Create a team. Makes a team with its first token. The token is shown here and never again. */
  createTeam: {
    parameters: {
      /**
       * `true` makes nothing where one of this name is there already: it is answered if all that is
       * given is equal, and otherwise refused with 409. Two calls at the same time make one.
       */
      by_name?: 'true' | 'false' | undefined
    }
    body: NewTeam
    answer: {
      data: TeamCreated
    }
  }
  /** Read a team. One team, with the limits of its tier; `PATCH /api/team` changes it. */
  getTeamById: {
    parameters: {
      /** The team’s id. */
      id: string
      /** The `ETag` of an answer: if it is still that, 304 comes without a body. */
      'If-None-Match'?: string | undefined
    }
    body: undefined
    answer: {
      data: Team
    }
  }
  /**
   * List the team’s tokens. Ids and names, so that one can be revoked. The tokens themselves are
   * not kept.
   */
  listTeamTokens: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly Token[]
    }
  }
  /**
   * Give the team another token. The token may do what yours may. It is shown here and never again;
   * only its SHA-256 is kept. A team may have 200.
   */
  createTeamToken: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: NewTeamToken
    answer: {
      data: TokenCreated
    }
  }
  /**
   * Revoke one of the team’s tokens. The token is refused from the next call on, in every process,
   * and the sessions that were signed in with it end. A call cannot revoke the token that it uses,
   * itself or by its session.
   */
  deleteTeamToken: {
    parameters: {
      /** The token’s id, not the token. */
      id: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: Record<string, never>
  }
  /**
   * List a team’s tokens. Ids and names, so that one can be revoked. The tokens themselves are not
   * kept.
   */
  listTokens: {
    parameters: {
      /** The team’s id. */
      id: string
    }
    body: undefined
    answer: {
      data: readonly Token[]
    }
  }
  /**
   * Give a team another token. The token is shown here and never again; only its SHA-256 is kept.
   */
  createToken: {
    parameters: {
      /** The team’s id. */
      id: string
    }
    body: NewToken | undefined
    answer: {
      data: TokenCreated
    }
  }
  /**
   * Revoke a token. The token is refused from the next call on, and the sessions that were signed
   * in with it end. A call cannot revoke its own token.
   */
  deleteToken: {
    parameters: {
      /** The token’s id, not the token. */
      id: string
    }
    body: undefined
    answer: Record<string, never>
  }
  /**
   * Sign in. Takes a token, or the secret of the link that local development prints, and sets the
   * cookie `headgate_session`, which stands for the token in every call that carries none in a
   * header. It lasts 30 days, or 7 days without a call. A token has at most 50 sessions: the oldest
   * end. The link works from the machine itself only.
   */
  signIn: {
    parameters: Record<never, never>
    body: NewSession
    answer: {
      data: Session
    }
  }
  /**
   * Read your session. Who is signed in, and where. `team` is null for the operator, `token` where
   * the session was signed in by a link.
   */
  getSession: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: Session
    }
  }
  /** Sign out. Ends the session in every process and clears the cookie. */
  signOut: {
    parameters: Record<never, never>
    body: undefined
    answer: Record<string, never>
  }
  /**
   * List sessions. Sessions of the team, the one used last first, up to 1000. The operator sees its
   * own, or those of the team that it names. `time_last_used` is exact to a minute.
   */
  listSessions: {
    parameters: {
      /** With the operator’s token: sessions of this team, not the operator’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly ListedSession[]
    }
  }
  /** End a session. Ends one of those that `GET /api/sessions` lists, in every process at once. */
  deleteSession: {
    parameters: {
      /** The session’s id. */
      id: string
      /** With the operator’s token: sessions of this team, not the operator’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: Record<string, never>
  }
  /**
   * Create a webhook. From the next block on, the query’s result is sent to the URL, signed with
   * the `signing_key` of the answer. While the month is used up, or more is undelivered than the
   * tier allows, it is paused at once and gets an error delivery; the answer shows it. `by_name`
   * needs a `name`; a webhook that is there is answered with its key.
   */
  createWebhook: {
    parameters: {
      /**
       * `true` makes nothing where one of this name is there already: it is answered if all that is
       * given is equal, and otherwise refused with 409. Two calls at the same time make one.
       */
      by_name?: 'true' | 'false' | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: NewWebhook
    answer: {
      data: Webhook
    }
  }
  /** List the team’s webhooks. All webhooks of the team, oldest first, with their signing keys. */
  listWebhooks: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly Webhook[]
    }
  }
  /** Read a webhook. One webhook with its signing key. */
  getWebhook: {
    parameters: {
      /** The webhook’s id. */
      id: string
      /** The `ETag` of an answer: if it is still that, 304 comes without a body. */
      'If-None-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: Webhook
    }
  }
  /**
   * Change, pause or unpause a webhook. Changes the fields that are given and leaves the rest.
   * While a webhook is paused nothing is evaluated or sent for it; what was due before goes out
   * once it is active again. It never becomes active by itself. While the month is used up, or far
   * more is undelivered than the tier allows, an unpaused one is paused again at once and gets an
   * error delivery; the answer shows it.
   */
  updateWebhook: {
    parameters: {
      /**
       * The `ETag` of an answer: the change is refused with 412 if it was changed since. `*` is
       * whatever is there.
       */
      'If-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: WebhookChange
    answer: {
      data: Webhook
    }
  }
  /**
   * Delete a webhook. The webhook is gone at once. What waits to be sent or has failed is
   * cancelled; its deliveries stay in the log.
   */
  deleteWebhook: {
    parameters: {
      /** The webhook’s id. */
      webhook_id: string
      /**
       * The `ETag` of an answer: the change is refused with 412 if it was changed since. `*` is
       * whatever is there.
       */
      'If-Match'?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: Record<string, never>
  }
  /** Read a webhook’s query. The text of the query, as it is run. */
  getWebhookQuery: {
    parameters: {
      /** The webhook’s id. */
      webhook_id: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: WebhookQuery
    }
  }
  /**
   * Replace a webhook’s signing key. Deliveries are signed with the new key at once, and for 24
   * hours with the one before it too, so that receivers can change over in peace. Rotating again
   * within that time ends the oldest. With `prepare` nothing is signed otherwise yet: the answer
   * shows the key in `next_signing_key`, the same one however often it is asked for, and the next
   * call without `prepare` switches to it.
   */
  rotateSigningKey: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: KeyRotation
    answer: {
      data: Webhook
    }
  }
  /**
   * List the team’s variables. All variables of the team, with how many items they have and who
   * uses them.
   */
  listVariables: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: VariableList
  }
  /** List a variable’s items. A page of the items, in ascending order. */
  listVariableItems: {
    parameters: {
      /** The variable’s name, as queries write it after `$`. */
      name: string
      /** Items of one page. */
      limit?: number | undefined
      /** Where the page begins: `pagination.cursors.after` of the one before. */
      after?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: VariablePage
  }
  /**
   * Create a variable, or add to one. The first items of a name make the variable; more are added
   * to it. It acts from the next block on, in every query of the team that names it.
   */
  addVariableItems: {
    parameters: {
      /** The variable’s name, as queries write it after `$`. */
      name: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: NewVariableItems
    answer: Record<string, never>
  }
  /**
   * Add to a variable, or take away from it. Takes `add` or `delete`, one of the two. It acts from
   * the next block on, in every query of the team that names it.
   */
  changeVariableItems: {
    parameters: {
      /** The variable’s name, as queries write it after `$`. */
      name: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: VariableChange
    answer: Record<string, never>
  }
  /**
   * Delete a variable. The variable is gone with all its items. A query that names it matches
   * nothing there, until there is one of this name again.
   */
  deleteVariable: {
    parameters: {
      /** The variable’s name, as queries write it after `$`. */
      name: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: Record<string, never>
  }
  /**
   * Try a query. Runs a query on one real block and shows the result exactly as it would be
   * delivered, with its size and price. Nothing is stored or delivered, and it costs 0 CU. The
   * team’s variables count as they are now.
   */
  testQuery: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: TestQuery
    answer: TestQueryResult
  }
  /**
   * Try a destination. Runs a query on one real block, sends the result to the URL as a delivery
   * would be sent, once and signed, and tells what came of it. Nothing is stored, and it costs 0
   * CU. The key that signs it is made for this one delivery and shown in the answer; the sequence
   * number is the block’s number, so that a receiver prefers every real delivery.
   */
  testWebhook: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: TestWebhook
    answer: {
      data: TestWebhookAttempt
    }
  }
  /**
   * Check a query. Compiles a query and says what is wrong with it, and where. No node is asked and
   * nothing is run, so that an editor can call it while somebody types. A query with mistakes is
   * answered with status 200 and `ok: false`.
   */
  checkQuery: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: CheckQuery
    answer: {
      data: QueryCheck
    }
  }
  /**
   * Estimate what a query costs. Runs a query on the newest blocks and says what would be delivered
   * and what that costs, for these blocks and for a month of 30 days at their pace. Nothing is
   * stored or delivered, and it costs 0 CU. The answer is made of the blocks that could be read in
   * time: look at `blocks`.
   */
  estimateQuery: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: EstimateQuery
    answer: {
      data: QueryEstimate
    }
  }
  /**
   * The schema of queries. What queries are written against, in the schema definition language of
   * GraphQL, for editors and code generators. Queries themselves may not ask for it.
   */
  getQuerySchema: {
    parameters: Record<never, never>
    body: undefined
    answer: string
  }
  /**
   * List deliveries. What was delivered, waits or failed, newest first. Accepted ones are kept for
   * 7 days by default; what is not delivered stays. With `attempts_min` or `rerun` a page may be
   * shorter than `limit`, even empty, and not the last: go on while there is an `after`.
   */
  listDeliveries: {
    parameters: {
      /** Only those of this webhook. */
      webhook_id?: string | undefined
      /** Only those that are so. */
      status?: 'waiting' | 'delivered' | 'failed' | 'cancelled' | undefined
      /** Only those of this height, reorganised ones included. */
      block?: number | undefined
      /** Only those with so many attempts; 2 for those that were retried. */
      attempts_min?: number | undefined
      /** Only those of a height that was run again after a reorganisation, or only the others. */
      rerun?: 'true' | 'false' | undefined
      /**
       * Only those created at that moment or later: milliseconds since 1970, a date, or ISO 8601
       * with a zone.
       */
      after?: string | undefined
      /** Only those created before that moment, written like `after`. */
      before?: string | undefined
      /** Deliveries of one page. */
      limit?: number | undefined
      /** Where the page begins: `after` of the one before. */
      cursor?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: DeliveryPage
  }
  /**
   * Read a delivery. One delivery with the body that is sent, and every attempt. `sign=now` signs
   * it as an attempt at this moment would: for passing it on before its first attempt, or so late
   * that a receiver would refuse the signature of the last one.
   */
  getDelivery: {
    parameters: {
      /** The delivery’s id. */
      id: string
      /** Which headers: those of the `last` attempt, or those of an attempt `now`. */
      sign?: 'last' | 'now' | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: DeliveryDetail
    }
  }
  /**
   * Send a delivery again. Whether it was delivered or failed, it is due at once, with the same id
   * and body, and its attempts start anew. It is billed again when it is accepted.
   */
  resendDelivery: {
    parameters: {
      /** The delivery’s id. */
      id: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: Delivery
    }
  }
  /**
   * Replay a range of blocks. Runs the webhook’s query on blocks of the past and delivers the
   * results, one block after the other, without holding up new ones. A block that was delivered
   * before keeps its id and its sequence number, and is billed again when it is accepted. The job
   * goes on through restarts.
   */
  replayWebhook: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: NewReplay
    answer: {
      data: Replay
    }
  }
  /** List replays. The team’s replays, newest first, 100 at most. */
  listReplays: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly Replay[]
    }
  }
  /** See how far a replay is. The replay with its progress. */
  getReplay: {
    parameters: {
      /** The replay’s id. */
      id: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: Replay
    }
  }
  /**
   * Cancel a replay. No further block is evaluated; what was committed so far is still delivered. A
   * replay that has ended stays as it is.
   */
  cancelReplay: {
    parameters: {
      /** The replay’s id. */
      id: string
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: Replay
    }
  }
  /**
   * Hear what changes. A stream of server-sent events that stays open. `head`: a block became
   * canonical; on connecting the present head of each network. `delivery`: one was created, or its
   * status or attempts changed; it comes as it stands in the list. `webhook`: one was created,
   * changed, paused or deleted. `replay`: how far one is. `usage`: the summary, every 5 seconds at
   * most, when it changed. `gap`: some changes were not sent, so fetch again.
   *
   * The events say how things are, not each step: several changes within a moment may come as one.
   * A comment line comes every 15 seconds. A client that connects again with the id of the last
   * event that it got is sent a `gap` first, since past events are not kept. One that reads too
   * slowly is cut off.
   */
  streamEvents: {
    parameters: {
      /**
       * Only these, separated by commas: heads, deliveries, webhooks, replays, usage. Default: all.
       */
      topics?: string | undefined
      /** Of deliveries only those of this webhook. */
      webhook_id?: string | undefined
      /** The id of the last event that came; browsers send it. */
      'Last-Event-ID'?: string | undefined
      /** The same, for where a header cannot be set. */
      last_event_id?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: string
  }
  /**
   * See how all webhooks do. One entry for each webhook of the team: what became of its deliveries
   * in the last 24 hours, the newest one, and the newest 48 in short.
   */
  getWebhookStats: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly WebhookStats[]
    }
  }
  /**
   * Calls, errors and times. How many JSON-RPC calls the team’s apps made, how many went wrong and
   * how long they took, the largest groups first, at most 100 of them. A range is counted by the
   * finest that is kept for all of it; by method, status and upstream nothing is finer than an
   * hour. Figures are written at least once a second, so the newest second may still be missing.
   * They are kept for 6 hours by the minute, 7 days by the hour and 31 days by the day.
   */
  getCallStats: {
    parameters: {
      /**
       * What the calls are split by. A `status` is `ok`, `node_error`, or the reason of a refusal
       * as in the metric `headgate_rpc_calls_total`. An `upstream` is the one that answered, or
       * that gave an answer which was cached; refusals have none.
       */
      group_by?: 
        | 'none'
        | 'app'
        | 'method'
        | 'network'
        | 'status'
        | 'upstream' | undefined
      /** Only calls of this app. */
      app_id?: string | undefined
      /** Only calls on this network. */
      network?: string | undefined
      /**
       * The first moment: milliseconds since 1970, a date, or ISO 8601 with a zone. Default: 24
       * hours before `to`, one hour by the minute, 7 days by the day. It is rounded down to the
       * minute, hour or day that calls are counted by.
       */
      from?: string | undefined
      /** The end, itself not included, written like `from`. Default: now. */
      to?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly CallStats[]
    }
  }
  /**
   * Calls, errors and times over time. The same in buckets, oldest first; buckets without calls are
   * left out. A range may span as much as is kept. Figures are written at least once a second, so
   * the newest second may still be missing. They are kept for 6 hours by the minute, 7 days by the
   * hour and 31 days by the day.
   */
  getCallSeries: {
    parameters: {
      /** How wide a bucket is, in UTC. */
      bucket?: 'minute' | 'hour' | 'day' | undefined
      /** Only calls of this app. */
      app_id?: string | undefined
      /** Only calls on this network. */
      network?: string | undefined
      /**
       * The first moment: milliseconds since 1970, a date, or ISO 8601 with a zone. Default: 24
       * hours before `to`, one hour by the minute, 7 days by the day. It is rounded down to the
       * minute, hour or day that calls are counted by.
       */
      from?: string | undefined
      /** The end, itself not included, written like `from`. Default: now. */
      to?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly CallPoint[]
    }
  }
  /**
   * Spending at upstreams. What was spent at each upstream that has a budget, by billing month,
   * newest first, of the last 400 days. It is written every two seconds, so the newest may still be
   * missing.
   */
  listUpstreamSpend: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: readonly UpstreamSpend[]
    }
  }
  /**
   * Usage of the month. What the team used in this calendar month (UTC) and what is left of its
   * capacity, with the totals of the last 24 hours and 7 days, counted in whole hours. JSON-RPC
   * usage is written to the ledger at least once a second, so the newest second may still be
   * missing.
   */
  getUsageSummary: {
    parameters: {
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: UsageSummary
    }
  }
  /**
   * Usage over time. The team’s usage in buckets, oldest first; buckets without usage are left out.
   * A range may span 31 days by the hour, 366 by the day, and 3660 by the month. JSON-RPC usage is
   * written to the ledger at least once a second, so the newest second may still be missing.
   */
  getUsageSeries: {
    parameters: {
      /** How wide a bucket is, in UTC. */
      bucket?: 'hour' | 'day' | 'month' | undefined
      /** What the usage of a bucket is split by. */
      group_by?: 'none' | 'method' | 'network' | 'app' | undefined
      /**
       * The first moment: milliseconds since 1970, a date, or ISO 8601 with a zone. Default: 24
       * hours before `to`. It is rounded down to the hour.
       */
      from?: string | undefined
      /** The end, itself not included, written like `from`. Default: now. */
      to?: string | undefined
      /** The team to act for. Needed with the operator’s token, not with a team’s own. */
      'X-Team-Id'?: string | undefined
      /** The same as the header `X-Team-Id`, for where a header cannot be set. */
      team_id?: string | undefined
    }
    body: undefined
    answer: {
      data: readonly UsagePoint[]
    }
  }
  /**
   * Networks and their health. Every configured network with its head, and each of its upstreams:
   * whether it is used, and why or why not, and how requests went there in the last hour.
   */
  listNetworks: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: readonly Network[]
    }
  }
  /**
   * See the embedded chain. The embedded EVM chain with its last blocks, replaced ones included, so
   * that a fork can be drawn. Local development only.
   */
  getDevnet: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: Devnet
    }
  }
  /**
   * Change pace and traffic. Stops or resumes mining by time, or changes the time between blocks
   * and how many transactions of its own the chain puts into each. One field is needed; absent ones
   * stay.
   */
  changeDevnet: {
    parameters: Record<never, never>
    body: DevnetChange
    answer: {
      data: Devnet
    }
  }
  /** Mine blocks now. Adds blocks at once, also while mining by time is held. */
  mineDevnetBlocks: {
    parameters: Record<never, never>
    body: DevnetMine | undefined
    answer: {
      data: Devnet
    }
  }
  /**
   * Replace the last blocks. Replaces the last `depth` blocks by other ones with other hashes, in
   * one step that nobody sees half done, so that webhooks run those heights again. Transactions of
   * the replaced blocks are mined again (`keep`), or are gone (`drop`). Snapshots (`evm_snapshot`)
   * that were taken on a replaced block are gone with it; those of blocks before stay.
   */
  reorganiseDevnet: {
    parameters: Record<never, never>
    body: DevnetReorganisation
    answer: {
      data: Devnet
    }
  }
  /**
   * Take the chain back to a height. The blocks above `height` and all transactions that wait are
   * gone, as on a node that was reset: the head is lower until blocks are mined anew, with other
   * hashes, and webhooks run each of those heights again. It may lie 1000 below the highest block
   * so far.
   */
  dropDevnetBlocks: {
    parameters: Record<never, never>
    body: DevnetDrop
    answer: {
      data: Devnet
    }
  }
  /**
   * Send a transaction. Sends a transfer, or a call that emits a token’s Transfer event, from the
   * first test account, so that a filter has something to match. The next block has it.
   */
  sendDevnetTransaction: {
    parameters: Record<never, never>
    body: DevnetSend | undefined
    answer: {
      data: DevnetSent
    }
  }
  /**
   * See the nodes of the embedded chain. The upstreams of `ETH_DEVNET` with how each answers. They
   * are nodes of one chain, made to be broken so that failover can be watched. Local development
   * only.
   */
  listDevnetUpstreams: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: readonly DevnetUpstream[]
    }
  }
  /**
   * Make a node of the embedded chain lag, lie, fail or hang. It answers so until it is changed
   * again, or Headgate starts anew.
   */
  changeDevnetUpstream: {
    parameters: {
      /** The name of the upstream. */
      name: string
    }
    body: DevnetUpstreamChange
    answer: {
      data: readonly DevnetUpstream[]
    }
  }
  /**
   * Have no node of the embedded chain answer for a while. All upstreams of `ETH_DEVNET` hang for
   * so long, whatever else they were told; blocks go on being mined. A new stall takes the place of
   * the one before.
   */
  stallDevnet: {
    parameters: Record<never, never>
    body: DevnetStall
    answer: {
      data: readonly DevnetUpstream[]
    }
  }
  /**
   * See the embedded Solana ledger. The embedded Solana ledger and how fast it lives. Local
   * development only.
   */
  getSolanaDevnet: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: SolanaDevnet
    }
  }
  /**
   * Change how fast the ledger lives. Changes the fields that are given and leaves the rest, at
   * once and until the next start, which takes them from the configuration.
   */
  changeSolanaDevnet: {
    parameters: Record<never, never>
    body: SolanaDevnetPace
    answer: {
      data: SolanaDevnet
    }
  }
  /**
   * List inboxes. The inboxes that something was posted to, at `/inbox/<name>`, or whose answer was
   * set. Kept in memory: 50 inboxes, 500 arrivals each, 32 MiB in all; the oldest go.
   */
  listInboxes: {
    parameters: Record<never, never>
    body: undefined
    answer: {
      data: readonly Inbox[]
    }
  }
  /**
   * List what arrived. What was posted to an inbox, newest first, with the check of its signature.
   * An inbox that nothing was posted to is empty.
   */
  listInboxArrivals: {
    parameters: {
      /** The inbox’s name. */
      name: string
      /** Arrivals of one page. */
      limit?: number | undefined
      /** Only those older than the arrival of this id. */
      before?: number | undefined
    }
    body: undefined
    answer: InboxArrivalPage
  }
  /**
   * Set how an inbox answers. From the next arrival on. A sender that waits already is left
   * waiting. `hang` holds the connection until the sender gives up.
   */
  changeInbox: {
    parameters: {
      /** The inbox’s name. */
      name: string
    }
    body: InboxChange
    answer: {
      data: Inbox
    }
  }
  /** Empty an inbox. Forgets what arrived; the way it answers stays. */
  emptyInbox: {
    parameters: {
      /** The inbox’s name. */
      name: string
    }
    body: undefined
    answer: {
      data: Inbox
    }
  }
  /** This document. The OpenAPI 3.1 document that requests are checked against. No token needed. */
  getOpenApi: {
    parameters: Record<never, never>
    body: undefined
    answer: Readonly<Record<string, unknown>>
  }
}

/** The data of each event of the stream, by its name. */
export type Events = {
  head: HeadEvent
  delivery: Delivery
  webhook: WebhookEvent
  replay: Replay
  usage: UsageSummary
  gap: GapEvent
}
