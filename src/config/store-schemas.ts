import { text } from '../core/schema/schema.ts'
import { flagOr, options, wholeOr } from './config-options.ts'

export const STORE_SCHEMAS = {
  database: text({
    description:
      'A PostgreSQL server as the store, for many machines; `data` is for scratch then. With ' +
      'several hosts (`a:5432,b:5432`), Headgate uses the one that accepts writes. Never shown.',
    pattern: '^postgres(ql)?://',
    'x-form': 'a postgres:// address',
    maxLength: 4096,
  }),
  postgres: options('How the PostgreSQL server is used.', {
    connectionsMax: wholeOr(10, 2, 1000, 'Connections of this process to the server.'),
    transactionPooler: flagOr(
      false,
      'A pooler stands at database that lends a connection to each transaction, such as PgBouncer.',
    ),
    directUrl: text({
      description:
        'The server itself, beside a transaction pooler: LISTEN and NOTIFY need it. Never shown.',
      pattern: '^postgres(ql)?://',
      'x-form': 'a postgres:// address',
      maxLength: 4096,
    }),
  }),
  nats: text({
    description:
      'NATS servers that carry the hints of many processes, as nats://a:4222,nats://b:4222; ' +
      'tls:// demands TLS. With database. Never shown.',
    pattern: '^(nats|tls)://',
    'x-form': 'nats:// or tls:// addresses with commas between them',
    maxLength: 4096,
  }),
  natsCredentials: text({
    description: 'File with the JWT and the seed of our NATS user (.creds).',
    minLength: 1,
    maxLength: 4096,
  }),
  natsCa: text({
    description:
      'File with the certificates (PEM) that the NATS servers are trusted by; demands TLS. ' +
      'Default: those of the machine.',
    minLength: 1,
    maxLength: 4096,
  }),
}
