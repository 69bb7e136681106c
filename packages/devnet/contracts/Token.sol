// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// A token (ERC-20) of the development chain. Anybody may issue as much of it as they like.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    bytes32 private immutable nameText;
    bytes32 private immutable symbolText;
    uint8 public immutable decimals;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(bytes32 name_, bytes32 symbol_, uint8 decimals_) {
        nameText = name_;
        symbolText = symbol_;
        decimals = decimals_;
    }

    function name() external view returns (string memory) {
        return textOf(nameText);
    }

    function symbol() external view returns (string memory) {
        return textOf(symbolText);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "Token: allowance too low");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function burn(uint256 value) external {
        require(balanceOf[msg.sender] >= value, "Token: balance too low");
        balanceOf[msg.sender] -= value;
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "Token: balance too low");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    /// The text that a word holds, which ends at its first zero byte.
    function textOf(bytes32 word) private pure returns (string memory) {
        uint256 length = 0;
        while (length < 32 && word[length] != 0) length++;
        bytes memory text = new bytes(length);
        for (uint256 place = 0; place < length; place++) text[place] = word[place];
        return string(text);
    }
}
