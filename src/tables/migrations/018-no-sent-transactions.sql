-- Sent transactions are no longer logged; callers ask for receipts.
DROP TABLE sent_transactions;
