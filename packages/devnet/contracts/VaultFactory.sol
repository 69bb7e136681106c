// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Holds ether for its owner, who may send it on.
contract Vault {
    event Received(address indexed from, uint256 value);
    event Sent(address indexed to, uint256 value);

    address public immutable owner;

    constructor(address owner_) payable {
        owner = owner_;
        if (msg.value > 0) emit Received(msg.sender, msg.value);
    }

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    function send(address payable to, uint256 value) external {
        require(msg.sender == owner, "Vault: not the owner");
        (bool isPaid, ) = to.call{value: value}("");
        require(isPaid, "Vault: not taken");
        emit Sent(to, value);
    }
}

/// Makes vaults: in a row (CREATE), or where a salt puts them (CREATE2).
contract VaultFactory {
    event VaultCreated(address indexed owner, address vault);

    function create() external payable returns (address vault) {
        vault = address(new Vault{value: msg.value}(msg.sender));
        emit VaultCreated(msg.sender, vault);
    }

    function createAt(bytes32 salt) external payable returns (address vault) {
        vault = address(new Vault{value: msg.value, salt: salt}(msg.sender));
        emit VaultCreated(msg.sender, vault);
    }

    /// Divides what is sent along among several.
    function share(address payable[] calldata to) external payable {
        for (uint256 place = 0; place < to.length; place++) {
            (bool isPaid, ) = to[place].call{value: msg.value / to.length}("");
            require(isPaid, "VaultFactory: not taken");
        }
    }

    /// Works until its gas is used up.
    function work(uint256 rounds) external pure returns (bytes32 result) {
        for (uint256 place = 0; place < rounds; place++) result = keccak256(abi.encode(result, place));
    }
}
