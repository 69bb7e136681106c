import { serveStore } from '../embedded/database/serve-store.ts'
import { PROCEDURES } from '../tables/procedures.ts'

serveStore(PROCEDURES)
