export { ApiError } from './api-error.ts'
export { type Client, createClient } from './create-client.ts'
