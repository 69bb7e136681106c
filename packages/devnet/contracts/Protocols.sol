// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Small stand-ins for protocols that queries ask about: each emits the events of the real one.

/// The answers of a price feed, as an aggregator of Chainlink tells them.
contract PriceFeed {
    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    uint8 public constant decimals = 8;
    int256 public latestAnswer;
    uint256 public latestRound;

    function update(int256 answer) external {
        latestAnswer = answer;
        emit AnswerUpdated(answer, ++latestRound, block.timestamp);
    }
}

/// Proposals and votes, as OpenZeppelin's Governor tells them.
contract Governor {
    event ProposalCreated(
        uint256 proposalId,
        address proposer,
        address[] targets,
        uint256[] values,
        string[] signatures,
        bytes[] calldatas,
        uint256 voteStart,
        uint256 voteEnd,
        string description
    );
    event VoteCast(
        address indexed voter,
        uint256 proposalId,
        uint8 support,
        uint256 weight,
        string reason
    );

    uint256 public proposals;

    function propose(address target, bytes calldata data, string calldata description) external {
        address[] memory targets = new address[](1);
        targets[0] = target;
        bytes[] memory calldatas = new bytes[](1);
        calldatas[0] = data;
        emit ProposalCreated(
            ++proposals,
            msg.sender,
            targets,
            new uint256[](1),
            new string[](1),
            calldatas,
            block.number,
            block.number + 100,
            description
        );
    }

    function castVote(uint256 proposalId, uint8 support, string calldata reason) external {
        require(support < 3, "Governor: against, for or abstain");
        emit VoteCast(msg.sender, proposalId, support, msg.sender.balance, reason);
    }
}

/// Executes calls of anybody, as a Safe tells it: one that fails is no failure of the whole.
contract Multisig {
    event ExecutionSuccess(bytes32 indexed txHash, uint256 payment);
    event ExecutionFailure(bytes32 indexed txHash, uint256 payment);

    uint256 public nonce;

    receive() external payable {}

    function execTransaction(address to, uint256 value, bytes calldata data) external payable {
        bytes32 txHash = keccak256(abi.encode(to, value, data, nonce++));
        (bool isDone, ) = to.call{value: value}(data);
        if (isDone) emit ExecutionSuccess(txHash, 0);
        else emit ExecutionFailure(txHash, 0);
    }
}

/// Operations of smart accounts, as the entry point of ERC-4337 tells them.
contract EntryPoint {
    event UserOperationEvent(
        bytes32 indexed userOpHash,
        address indexed sender,
        address indexed paymaster,
        uint256 nonce,
        bool success,
        uint256 actualGasCost,
        uint256 actualGasUsed
    );

    mapping(address => uint256) public nonces;

    function handleOp(address account, address target, bytes calldata data) external {
        uint256 gasBefore = gasleft();
        uint256 nonce = nonces[account]++;
        bytes32 hash = keccak256(abi.encode(account, nonce, target, data));
        (bool isDone, ) = target.call(data);
        uint256 used = gasBefore - gasleft();
        emit UserOperationEvent(hash, account, address(0), nonce, isDone, used * tx.gasprice, used);
    }
}

/// Deposits to another chain, as the portal of Optimism tells them.
contract Bridge {
    event TransactionDeposited(
        address indexed from,
        address indexed to,
        uint256 indexed version,
        bytes opaqueData
    );

    function depositTransaction(address to, uint64 gasLimit) external payable {
        bytes memory data = abi.encodePacked(msg.value, msg.value, gasLimit, false);
        emit TransactionDeposited(msg.sender, to, 0, data);
    }
}

/// Liquidations, as the pool of Aave tells them.
contract Lender {
    event LiquidationCall(
        address indexed collateralAsset,
        address indexed debtAsset,
        address indexed user,
        uint256 debtToCover,
        uint256 liquidatedCollateralAmount,
        address liquidator,
        bool receiveAToken
    );

    function liquidate(address collateral, address debt, address user, uint256 amount) external {
        emit LiquidationCall(collateral, debt, user, amount, (amount * 105) / 100, msg.sender, false);
    }
}

/// A proxy (ERC-1967) to whatever implementation it was last given; anybody may give it one.
contract Proxy {
    event Upgraded(address indexed implementation);

    bytes32 private constant SLOT = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);

    function upgradeTo(address implementation) external {
        bytes32 slot = SLOT;
        assembly {
            sstore(slot, implementation)
        }
        emit Upgraded(implementation);
    }

    receive() external payable {}

    fallback() external payable {
        bytes32 slot = SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isDone := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(isDone) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}
