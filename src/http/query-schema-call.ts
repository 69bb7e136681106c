import { SCHEMA_TEXT } from '../core/query/schema.ts'
import { plainTextReply } from './api-reply.ts'

/** What queries are written against: they may not ask for it themselves. */
export async function getQuerySchema(): Promise<Response> {
  return plainTextReply(SCHEMA_TEXT)
}
